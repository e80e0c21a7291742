import { createRemoteJWKSet, customFetch, errors, type JWTVerifyOptions, jwtVerify } from 'jose'
import { ProblemError } from '../../core/problem.js'
import { asInvalidToken, clockSkew, type VerifyToken } from './token-verification.js'

export interface IssuerOptions {
  /** URL of the issuer, exactly as in the claim `iss` of tokens. */
  readonly issuer: string
  /** Value that tokens must have in the claim `aud`. */
  readonly audience: string
  /** Least milliseconds between two requests for keys that tokens with unknown keys cause; default 30,000. */
  readonly cooldown?: number
}

export interface Issuer {
  readonly verify: VerifyToken
  /** Fetches the keys of the issuer now. @throws ProblemError `unavailable` */
  ready(): Promise<void>
}

/**
 * Algorithms of accepted tokens. All have public keys: if one with a shared secret were accepted, anyone could sign
 * with the public key of the issuer as the secret.
 * @see RFC 8725 §3.1
 */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA'],
]

/** Milliseconds in which the issuer must answer a request. */
const fetchTimeout = 5000

type Keys = ReturnType<typeof createRemoteJWKSet>

/**
 * Verifies tokens of an OpenID Connect issuer with the keys that its discovery document names. Keys are cached for ten
 * minutes. A token with an unknown key causes one more request for the keys, at most once in `cooldown`.
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html §4; RFC 7517
 */
export function openIssuer({ issuer, audience, cooldown = 30_000 }: IssuerOptions): Issuer {
  const options: JWTVerifyOptions = {
    issuer,
    audience,
    algorithms,
    clockTolerance: clockSkew,
    requiredClaims: ['exp'],
  }
  let discovered: Promise<Keys> | undefined
  let refusedUntil = 0
  let refusal: ProblemError | undefined

  async function keysOf(): Promise<Keys> {
    if (refusal && performance.now() < refusedUntil) throw refusal
    discovered ??= discoverKeys(issuer, cooldown)
    try {
      return await discovered
    } catch (error) {
      discovered = undefined
      if (error instanceof ProblemError) {
        refusal = error
        refusedUntil = performance.now() + cooldown
      }
      throw error
    }
  }

  async function verify(token: string) {
    const keys = await keysOf()
    try {
      return (await jwtVerify(token, keys, options)).payload
    } catch (error) {
      if (error instanceof errors.JOSEError && unreadable.includes(error.code)) {
        throw unavailable(issuer, 'has no readable keys', error)
      }
      // The token does not name its key: try each key that fits.
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
      for await (const key of error) {
        try {
          return (await jwtVerify(token, key, options)).payload
        } catch (inner) {
          if (!(inner instanceof errors.JWSSignatureVerificationFailed)) throw inner
        }
      }
      throw new errors.JWSSignatureVerificationFailed()
    }
  }

  return {
    verify: token => asInvalidToken(() => verify(token)),
    async ready() {
      await (await keysOf()).reload()
    },
  }
}

function unavailable(issuer: string, why: string, cause?: unknown): ProblemError {
  const message = `Tokens cannot be checked now: ${issuer} ${why}. Try again.`
  return new ProblemError('unavailable', message, { retryAfter: 10 }, { cause })
}

/** Requests a document of the issuer. @throws ProblemError `unavailable` */
async function get(issuer: string, url: string, init: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(fetchTimeout), redirect: 'manual', ...init })
  } catch (error) {
    throw unavailable(issuer, 'does not answer', error)
  }
  if (response.status === 200) return response
  throw unavailable(issuer, `answers ${response.status} where its keys are asked for`)
}

/** Finds the address of the keys. @param cooldown as in {@link IssuerOptions} @throws ProblemError `unavailable` */
async function discoverKeys(issuer: string, cooldown: number): Promise<Keys> {
  const response = await get(issuer, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const document = (await response.json().catch(() => undefined)) as
    | { readonly issuer?: unknown; readonly jwks_uri?: unknown }
    | undefined
  // Prevents that one issuer answers for another. @see https://openid.net/specs/openid-connect-discovery-1_0.html §4.3
  if (document?.issuer !== issuer)
    throw unavailable(issuer, 'says in its discovery document that it is another issuer')
  const { jwks_uri: keys } = document
  if (typeof keys !== 'string' || !isHttpsOrLoopback(keys))
    throw unavailable(issuer, 'names no https address of its keys')
  return createRemoteJWKSet(new URL(keys), {
    cooldownDuration: cooldown,
    [customFetch]: (url, init) => get(issuer, url, init),
  })
}

/** Codes of errors of the library jose about the keys, not the token. `JOSEError`: the keys are not JSON. */
const unreadable: readonly string[] = [
  errors.JWKSInvalid.code,
  errors.JWKSTimeout.code,
  errors.JOSEError.code,
]

/** Whether the URL is safe to fetch keys from: with https or on this machine, no attacker can replace the keys. */
export function isHttpsOrLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  )
}
