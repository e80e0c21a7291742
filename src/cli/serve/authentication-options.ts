import { type Identify, withoutAuthentication } from '../../http/auth/identify-caller.js'
import type { Issuer } from '../../http/auth/openid-issuer.js'
import { openClientAddress } from '../../http/proxies/request-addresses.js'
import { parseRoleName } from '../arguments/role-name.js'
import { UsageError } from '../command-context.js'
import type { ServerOptions } from './server-options.js'
import { isLoopbackHost } from './validate-server-options.js'

/** The options of `serve` about access. */
export type AuthenticationArguments = Pick<
  ServerOptions,
  | 'auth'
  | 'insecure'
  | 'host'
  | 'jwtSecretFile'
  | 'oidcIssuer'
  | 'oidcAudience'
  | 'oidcUsernameClaim'
  | 'oidcGroupsClaim'
  | 'createRole'
  | 'trustedProxy'
  | 'proxyHeaders'
>

export interface Authentication {
  readonly identify: Identify
  /** The OpenID Connect issuer; undefined: only tokens signed with a shared secret are accepted. */
  readonly issuer?: Issuer
}

/**
 * Opens authentication as the options say.
 * @throws UsageError for options that contradict each other, and for a server without tokens that others can reach
 */
export async function authenticationOf(options: AuthenticationArguments): Promise<Authentication> {
  const { auth, insecure, host, oidcIssuer, oidcAudience, createRole, jwtSecretFile } = options
  if (!auth) {
    const meant = { 'oidc-issuer': oidcIssuer, 'oidc-audience': oidcAudience, 'create-role': createRole }
    for (const [name, value] of Object.entries({ ...meant, 'jwt-secret-file': jwtSecretFile })) {
      if (value !== undefined) throw new UsageError(`--${name} has no effect without --auth.`)
    }
    if (!insecure && !isLoopbackHost(host)) throw openToAll(host)
    return { identify: withoutAuthentication }
  }
  if (insecure) throw new UsageError('Either --auth or --insecure, not both.')
  // Loaded here: a server without --auth does not need these modules.
  const { openBearerAuthentication } = await import('../../http/auth/bearer-authentication.js')
  const { isHttpsOrLoopback, openIssuer } = await import('../../http/auth/openid-issuer.js')
  const { openSharedSecretVerifier } = await import('../../http/auth/token-verification.js')
  const { readSecret } = await import('../arguments/token-secret.js')
  if ((oidcIssuer === undefined) !== (oidcAudience === undefined)) {
    throw new UsageError(
      '--oidc-issuer and --oidc-audience need each other: an issuer makes tokens for other services, too.',
    )
  }
  if (oidcIssuer !== undefined && !isHttpsOrLoopback(oidcIssuer)) {
    throw new UsageError(
      '--oidc-issuer must be an https URL, or a URL of this machine, exactly as in the claim iss of its tokens.',
    )
  }
  const secret = await readSecret(jwtSecretFile)
  const issuer =
    oidcIssuer !== undefined && oidcAudience !== undefined
      ? openIssuer({ issuer: oidcIssuer, audience: oidcAudience })
      : undefined
  if (!secret && !issuer) {
    throw new UsageError(
      '--auth needs to know which tokens to accept: METASTORE_JWT_SECRET or --jwt-secret-file for a shared secret, ' +
        '--oidc-issuer and --oidc-audience for an OpenID Connect issuer. See docs/run/access.md.',
    )
  }
  const claims = { username: options.oidcUsernameClaim, groups: options.oidcGroupsClaim }
  const identify = openBearerAuthentication({
    ...(secret && { secret: openSharedSecretVerifier(secret) }),
    ...(issuer && { issuer: { ...issuer, claims } }),
    ...(createRole !== undefined && { createRole: parseRoleName(createRole) }),
    addressOf: openClientAddress({
      trustedProxies: options.trustedProxy,
      proxyHeaders: options.proxyHeaders,
    }),
  })
  return { identify, ...(issuer && { issuer }) }
}

function openToAll(host: string): UsageError {
  return new UsageError(
    `Without --auth every client that reaches ${host} may read, change and delete everything, as SELF. Require tokens ` +
      'with --auth (see docs/run/access.md). If only trusted clients reach the server, such as through a proxy, use --insecure.',
  )
}
