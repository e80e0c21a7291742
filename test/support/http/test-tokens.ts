import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { openBearerAuthentication } from '../../../src/http/auth/bearer-authentication.js'
import type { Identify } from '../../../src/http/auth/identify-caller.js'
import { openSharedSecretVerifier } from '../../../src/http/auth/token-verification.js'

/** The secret that signs the tokens of tests. */
export const secret = 'a secret of tests, of 32 bytes or more'

/** Identifies callers as `serve --auth` with {@link secret} does. */
export const identifyWithTestSecret: Identify = openBearerAuthentication({
  secret: openSharedSecretVerifier(Buffer.from(secret)),
  addressOf: request => request.socket.remoteAddress,
})

/** Signs a token in the form of existing issuers, with the roles as text. @see docs/run/access.md#what-is-in-one */
export function signToken(
  claims: JWTPayload,
  key: string | Uint8Array = secret,
  validity = 3600,
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt(secondsFromNow(0))
    .setExpirationTime(secondsFromNow(validity))
    .sign(typeof key === 'string' ? Buffer.from(key) : key)
}

/** The time in some seconds, in the form of claims. */
export function secondsFromNow(count: number): number {
  return Math.floor(Date.now() / 1000) + count
}

/** Signs the token of a user. @param roles without `ROLE_` */
export function userToken(
  username: string,
  roles: readonly string[] = ['USER'],
  more: JWTPayload = {},
): Promise<string> {
  return signToken({ username, roles: JSON.stringify(roles.map(role => `ROLE_${role}`)), ...more })
}

/** Claims, in which undefined means that the token does not have the claim. */
type Claims = { readonly [Name in keyof JWTPayload]: JWTPayload[Name] | undefined }

/** An OpenID Connect issuer on a port of this machine. */
export interface TestIssuer {
  readonly url: string
  /** Number of requests for its keys. */
  asked(): number
  /** Replaces its keys by a new one. */
  rotate(): Promise<void>
  /** An answer to all requests instead of its documents; undefined for its documents. */
  answer: { readonly status: number; readonly body: string } | undefined
  /** Additional members of its discovery document. */
  discovery: Readonly<Record<string, unknown>>
  /** Signs claims for ten minutes by default. If `exp` is undefined, the token has no end. */
  sign(claims: Claims, header?: { readonly alg?: string; readonly kid?: string }): Promise<string>
  /** The public key of the key that signs. */
  readonly publicKey: JWK
}

const servers: Server[] = []

/** For `afterEach`: stops all issuers. */
export async function stopIssuers(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
}

export async function startIssuer(alg = 'RS256'): Promise<TestIssuer> {
  let count = 0
  let asked = 0
  let privateKey: CryptoKey
  let publicKey: JWK
  const issuer = {
    answer: undefined as TestIssuer['answer'],
    discovery: {} as TestIssuer['discovery'],
  }
  const server = createServer((request, response) => {
    if (request.url === '/keys') asked++
    const body =
      request.url === '/keys'
        ? { keys: [publicKey] }
        : { issuer: url, jwks_uri: `${url}/keys`, ...issuer.discovery }
    const { status, body: text } = issuer.answer ?? { status: 200, body: JSON.stringify(body) }
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(text)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function rotate(): Promise<void> {
    const pair = await generateKeyPair(alg, { extractable: true })
    privateKey = pair.privateKey
    publicKey = { ...(await exportJWK(pair.publicKey)), kid: `key-${++count}`, use: 'sig', alg }
  }
  await rotate()
  return Object.assign(issuer, {
    url,
    asked: () => asked,
    rotate,
    sign: (claims: Claims, header: { readonly alg?: string; readonly kid?: string } = {}) =>
      new SignJWT({ iss: url, aud: 'metastore', exp: secondsFromNow(600), ...claims } as JWTPayload)
        .setProtectedHeader({ alg, ...(publicKey.kid !== undefined && { kid: publicKey.kid }), ...header })
        .sign(privateKey),
    get publicKey() {
      return publicKey
    },
  })
}
