import { createRemoteJWKSet, customFetch, errors, type JWTVerifyOptions, jwtVerify } from 'jose'
import { ProblemError } from '../../core/problem.js'
import { asInvalidToken, clockSkew, type VerifyToken } from './token-verification.js'

export interface IssuerOptions {
  /** Its URL, exactly as tokens have it in `iss`. */
  readonly issuer: string
  /** What `aud` has to contain. */
  readonly audience: string
  /** Milliseconds after which keys are asked for again at the earliest, for a token of an unknown key; default 30,000. */
  readonly cooldown?: number
}

export interface Issuer {
  readonly verify: VerifyToken
  /** Asks for the keys. @throws ProblemError `unavailable` */
  ready(): Promise<void>
}

/** Those with a public key alone: with a shared secret whoever knows the public key could sign. @see RFC 8725 §3.1 */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA'],
]

/** Milliseconds the issuer may take to answer. */
const patience = 5000

type Keys = ReturnType<typeof createRemoteJWKSet>

/**
 * Checks tokens of an OpenID Connect issuer by its discovery document and the keys that names. Keys are kept for ten
 * minutes; a token of an unknown key has them asked for at once, and then not for a while.
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

  function unavailable(why: string, cause?: unknown): ProblemError {
    const message = `Tokens cannot be checked now: ${issuer} ${why}. Try again.`
    return new ProblemError('unavailable', message, { retryAfter: 10 }, { cause })
  }

  async function ask(url: string, init: RequestInit = {}): Promise<Response> {
    let response: Response
    try {
      response = await fetch(url, { signal: AbortSignal.timeout(patience), redirect: 'manual', ...init })
    } catch (error) {
      throw unavailable('does not answer', error)
    }
    if (response.status === 200) return response
    throw unavailable(`answers ${response.status} where its keys are asked for`)
  }

  async function discover(): Promise<Keys> {
    const response = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
    const document = (await response.json().catch(() => undefined)) as
      | { readonly issuer?: unknown; readonly jwks_uri?: unknown }
      | undefined
    // Else one issuer could speak for another. @see https://openid.net/specs/openid-connect-discovery-1_0.html §4.3
    if (document?.issuer !== issuer)
      throw unavailable('says in its discovery document that it is another issuer')
    const { jwks_uri: keys } = document
    if (typeof keys !== 'string' || !isHttpsOrLoopback(keys))
      throw unavailable('names no https address of its keys')
    return createRemoteJWKSet(new URL(keys), {
      cooldownDuration: cooldown,
      [customFetch]: (url, init) => ask(url, init),
    })
  }

  async function keysOf(): Promise<Keys> {
    if (refusal && performance.now() < refusedUntil) throw refusal
    discovered ??= discover()
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
        throw unavailable('has no readable keys', error)
      }
      // A token without the name of its key: any of those that fit may be the one.
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

/** What jose says where it is not the token that is wrong: of keys that are no JSON it has nothing but the general. */
const unreadable: readonly string[] = [
  errors.JWKSInvalid.code,
  errors.JWKSTimeout.code,
  errors.JOSEError.code,
]

/** Says whether nobody on the way can put other keys in place of the issuer's. */
export function isHttpsOrLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  )
}
