import { UsageError } from '../command-context.js'

/** Names, without `ROLE_`, of the roles in tokens that every server knows. @see docs/run/access.md#roles */
const roles = ['ADMINISTRATOR', 'CURATOR', 'USER', 'GUEST', 'ANONYMOUS', 'INACTIVE'].concat(
  ['READ', 'WRITE', 'ADMINISTRATE'].map(permission => `SERVICE_${permission}`),
)

/**
 * Parses a role for a token.
 * @param createRole the server's `--create-role`, if it has one
 * @throws UsageError for a role that has no meaning for the server
 */
export function roleOfToken(text: string, createRole: string | undefined): string {
  const role = parseRoleName(text)
  if (roles.some(name => role === `ROLE_${name}`)) return role
  if (createRole !== undefined && role === parseRoleName(createRole)) return role
  throw new UsageError(
    `"${text}" is not a role of the server, which knows ${roles.join(', ')}. Name a role that the server needs for --create-role with --create-role here, too.`,
  )
}

/** Writes a role as `ROLE_USER`. @param text in any case, with or without `ROLE_` @see docs/run/access.md#roles */
export function parseRoleName(text: string): string {
  const name = text.toUpperCase().replace(/^ROLE_/, '')
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) return `ROLE_${name}`
  throw new UsageError(`"${text}" is not the name of a role: write it as USER or ROLE_USER.`)
}
