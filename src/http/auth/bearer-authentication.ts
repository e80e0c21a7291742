import type { IncomingMessage } from 'node:http'
import { decodeProtectedHeader, type JWTPayload } from 'jose'
import { anonymousPrincipal, type Principal } from '../../core/access-control.js'
import { isGitPath } from '../mounts.js'
import { addressMatcher } from '../proxies/request-addresses.js'
import { type ClaimNames, callerFromSubject, issuerSubject, sharedSecretSubject } from './claims.js'
import type { Identify } from './identify-caller.js'
import type { Issuer } from './openid-issuer.js'
import { invalidToken, type VerifyToken } from './token-verification.js'

export interface AuthenticationOptions {
  /** Checks tokens that were signed with the shared secret. */
  readonly secret?: VerifyToken
  /** Checks tokens of an OpenID Connect issuer. */
  readonly issuer?: Issuer & { readonly claims: ClaimNames }
  /** Role that callers need to create records, such as `ROLE_USER`; default: none. */
  readonly createRole?: string
  /** Returns the address of the client: that of the connection, or the one that trusted proxies name. */
  readonly addressOf: (request: IncomingMessage) => string | undefined
}

/**
 * Identifies callers by bearer tokens. A request without a token is anonymous.
 * @see RFC 6750 §2.1; docs/contract.md#callers-with-authentication
 */
export function openBearerAuthentication(options: AuthenticationOptions): Identify {
  const { secret, issuer, createRole, addressOf } = options

  async function read(token: string, request: IncomingMessage): Promise<Principal> {
    if (isLocal(token)) {
      if (!secret) throw invalidToken('this server takes no tokens that are signed with a shared secret.')
      const claims = await secret(token)
      const subject = sharedSecretSubject(claims)
      refuseOtherSources(subject.sources, addressOf(request))
      return callerFromSubject(subject, createRole, claims.exp)
    }
    if (!issuer) throw invalidToken('this server takes tokens that are signed by HS256 only.')
    const claims: JWTPayload = await issuer.verify(token)
    return callerFromSubject(issuerSubject(claims, issuer.claims), createRole, claims.exp)
  }

  return async ctx => {
    const sent = ctx.req.headersDistinct.authorization ?? []
    const [header] = sent
    if (header === undefined) return anonymousPrincipal
    if (sent.length > 1) throw invalidToken('there are several headers Authorization.')
    return await read(tokenIn(header, ctx.path), ctx.req)
  }
}

/** The token in `Authorization`. Git clients send it as a password. @throws ProblemError `unauthenticated` */
function tokenIn(header: string, path: string): string {
  const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1]
  if (bearer !== undefined) return bearer
  const basic = isGitPath(path) ? /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1] : undefined
  const password = basic && /^[^:]*:(.+)$/s.exec(Buffer.from(basic, 'base64').toString())?.[1]
  if (password !== undefined && password !== '') return password
  throw invalidToken(
    isGitPath(path)
      ? 'send one as the password, with any name, or as "Authorization: Bearer …".'
      : 'send it as "Authorization: Bearer …".',
  )
}

/** Whether the token names the algorithm of the shared secret. Its verifier checks later whether that is true. */
function isLocal(token: string): boolean {
  let algorithm: unknown
  try {
    algorithm = decodeProtectedHeader(token).alg
  } catch (error) {
    // The library jose throws a TypeError for any unreadable text.
    if (!(error instanceof TypeError)) throw error
    throw invalidToken('it is not a signed token (JWT).', error)
  }
  return algorithm === 'HS256'
}

/**
 * Refuses a token for other addresses.
 * @throws ProblemError `unauthenticated`
 * @see docs/run/access.md#what-is-in-one
 */
function refuseOtherSources(sources: readonly string[] | undefined, address: string | undefined): void {
  if (!sources || addressMatcher(sources)(address)) return
  throw invalidToken(`it is not for requests from ${address ?? 'this address'}.`)
}
