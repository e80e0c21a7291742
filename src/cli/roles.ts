import { UsageError } from './program.js'

/** A role by its name, with or without `ROLE_`, in whatever case. @see contract, 6.2 */
export function roleNamed(text: string): string {
  const name = text.toUpperCase().replace(/^ROLE_/, '')
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) return `ROLE_${name}`
  throw new UsageError(`"${text}" is no name of a role: write it as USER or ROLE_USER.`)
}
