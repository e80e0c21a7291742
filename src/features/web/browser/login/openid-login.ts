import * as oauth from 'oauth4webapi'
import type { Login } from '../api/interface-types.js'
import { serviceUrl } from '../api/service-url.js'
import { peopleWords } from '../words-of-people.js'
import { type EndedLogin, LoginFailure } from './try-token.js'

/*
 * The login at an OpenID Connect issuer: the code flow with PKCE and `state`. The window leaves the application and comes
 * back to the page `callback`. @see RFC 6749 §4.1, RFC 7636, RFC 9207
 */

/** A login that this window has begun. It has no token, and is removed when the window comes back. */
interface BegunLogin {
  readonly state: string
  readonly verifier: string
  readonly isKept: boolean
  readonly from: string
}

const key = `login ${serviceUrl.pathname}`
/** The address that the issuer must know. It has the same text each time. */
const redirectUri = new URL('app/callback', serviceUrl).href

/** A login at the issuer, which the options of the server name. */
export type IssuerLogin = Required<Pick<Login, 'issuer' | 'clientId' | 'scopes'>>

/**
 * Leaves the application for the page of the issuer.
 * @param from the page to come back to
 * @throws LoginFailure
 */
export async function goToIssuer(login: IssuerLogin, isKept: boolean, from: string): Promise<void> {
  const server = await discover(login)
  const url = new URL(server.authorization_endpoint ?? login.issuer)
  if (!/^https?:$/.test(url.protocol)) throw new LoginFailure(peopleWords.login.issuerWrong(url.href))
  const begun = {
    state: oauth.generateRandomState(),
    verifier: oauth.generateRandomCodeVerifier(),
    ...{ isKept, from },
  }
  sessionStorage.setItem(key, JSON.stringify(begun satisfies BegunLogin))
  const parameters = {
    client_id: login.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: login.scopes.join(' '),
    state: begun.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  location.assign(url)
}

/**
 * Exchanges what the issuer has answered for a token.
 * @param answer the parameters of the address to which the issuer has sent the window
 * @throws LoginFailure if the issuer refuses, or if this window has not begun the login
 */
export async function finishLogin(login: IssuerLogin, answer: URLSearchParams): Promise<EndedLogin> {
  const begun = takeBegun()
  if (begun === undefined || answer.get('state') !== begun.state)
    throw new LoginFailure(peopleWords.login.notBegun)
  const server = await discover(login)
  const client = { client_id: login.clientId }
  return await explained(async () => {
    const parameters = oauth.validateAuthResponse(server, client, answer, begun.state)
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, oauth.None(), parameters, redirectUri, begun.verifier] as const),
      optionsOf(login),
    )
    const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, response)
    return { token: access_token, isKept: begun.isKept, from: begun.from }
  })
}

/** What the issuer says about itself. Its address must be that of the policy of this page. */
async function discover(login: IssuerLogin): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(login.issuer)
  return await explained(async () => {
    const response = await oauth.discoveryRequest(issuer, optionsOf(login))
    const server = await oauth.processDiscoveryResponse(issuer, response)
    const { origin } = new URL(server.token_endpoint ?? issuer)
    if (origin !== issuer.origin) throw new LoginFailure(peopleWords.login.otherOrigin(origin, issuer.origin))
    return server
  })
}

/** The server accepts an issuer without TLS on its own machine only. */
function optionsOf({ issuer }: IssuerLogin): { readonly [oauth.allowInsecureRequests]: boolean } {
  return { [oauth.allowInsecureRequests]: issuer.startsWith('http:') }
}

/** @throws LoginFailure with a reason for people */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof oauth.AuthorizationResponseError || cause instanceof oauth.ResponseBodyError) {
      const said = cause.error_description ?? cause.error
      throw new LoginFailure(peopleWords.login.issuerRefuses(said), { cause })
    }
    // The browser tells scripts no more of a request that failed.
    if (cause instanceof TypeError) throw new LoginFailure(peopleWords.login.issuerUnreachable, { cause })
    if (cause instanceof oauth.OperationProcessingError || cause instanceof oauth.UnsupportedOperationError)
      throw new LoginFailure(peopleWords.login.issuerWrong(cause.message), { cause })
    throw cause
  }
}

/** The login that this window has begun, once. */
function takeBegun(): BegunLogin | undefined {
  const text = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  return text === null ? undefined : (JSON.parse(text) as BegunLogin)
}
