import { UsageError } from '../../cli/command-context.js'

/** How one logs in, as `GET /api/login` answers it. Nothing in it is secret. */
export interface Login {
  /** Whether changes need a token. */
  readonly tokens: boolean
  /** Whether a token may be pasted. */
  readonly paste: boolean
  readonly issuer?: string
  readonly clientId?: string
  readonly scopes?: readonly string[]
}

/** The scopes with the claims of a person. Other claims are a setting of the client at its issuer. */
const scopes = ['openid', 'profile', 'email']

/**
 * The login by the options of the server.
 * @param clientId the option `--oidc-client-id`
 * @param all the values of all options of `serve`
 * @throws UsageError for a client without an issuer
 */
export function loginByOptions(clientId: string | undefined, all: Readonly<Record<string, unknown>>): Login {
  const { auth = false, 'oidc-issuer': issuer } = all
  if (clientId !== undefined && (!auth || typeof issuer !== 'string'))
    throw new UsageError('--oidc-client-id has no effect without --auth and --oidc-issuer.')
  if (clientId !== undefined && (clientId.trim() === '' || clientId.length > 500))
    throw new UsageError('--oidc-client-id must have 1 to 500 characters.')
  const isAsked = auth === true
  return {
    tokens: isAsked,
    paste: isAsked,
    ...(isAsked && typeof issuer === 'string' && { issuer }),
    ...(clientId !== undefined && { clientId, scopes }),
  }
}
