import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { ProblemError } from '../../core/problem.js'

/**
 * Verifies a token and returns its claims.
 * @throws ProblemError `unauthenticated` for an invalid token; `unavailable` if the keys of the issuer cannot be
 *   read
 */
export type VerifyToken = (token: string) => Promise<JWTPayload>

/** Seconds by which the clocks of the issuer and the server may differ. */
export const clockSkew = 30

/** Least bytes of the server's secret: a key must be at least as long as the HS256 hash. @see RFC 7518 §3.2 */
export const minSecretBytes = 32

const localAlgorithm = 'HS256'

export function openSharedSecretVerifier(secret: Uint8Array): VerifyToken {
  const options = { algorithms: [localAlgorithm], clockTolerance: clockSkew }
  // Read once: with the bytes, jose reads them for each token, which takes as long as the verification.
  const key = crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  return token => asInvalidToken(async () => (await jwtVerify(token, await key, options)).payload)
}

/** Issues a token that is signed with the server's secret. @param validity seconds from now until it expires */
export async function signToken(secret: Uint8Array, claims: JWTPayload, validity: number): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: localAlgorithm, typ: 'JWT' })
    .setIssuedAt(now)
    .setExpirationTime(now + validity)
    .sign(secret)
}

export function invalidToken(why: string, cause?: unknown): ProblemError {
  return new ProblemError(
    'unauthenticated',
    `The token of this request is not valid: ${why}`,
    { badToken: true },
    { cause },
  )
}

/** Runs the check of a token, and turns errors of the library jose into the problem `unauthenticated`. */
export async function asInvalidToken<T>(job: () => Promise<T>): Promise<T> {
  try {
    return await job()
  } catch (error) {
    if (error instanceof errors.JOSEError) throw invalidToken(reasonOf(error), error)
    throw error
  }
}

/** What is wrong with the token, without details of the keys. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'it has expired. Get another one.'
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf') return 'it is not valid yet.'
    if (error.reason === 'missing') return `it has no claim "${error.claim}".`
    return `its claim "${error.claim}" is not the one this server takes.`
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'it is signed by an algorithm this server does not take.'
  if (error instanceof errors.JWKSNoMatchingKey) return 'it is signed with a key its issuer does not have.'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is wrong.'
  return 'it is not a signed token (JWT).'
}
