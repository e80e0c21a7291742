import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair } from 'jose'
import { type OidcContext, Provider } from 'oidc-provider'
import { handlerOfOther } from '../answer-checks/intercept-answers.js'

/** An OpenID Connect issuer at which people log in. */
export interface LoginIssuer {
  readonly url: string
  readonly audience: string
  readonly clientId: string
  /** Number of the requests for tokens. */
  tokenRequests(): number
  /** An answer to requests for tokens in place of its own; undefined: its own. */
  tokenAnswer: { readonly status: number; readonly body: object } | undefined
  /** Admits the application of this origin: it may ask the issuer, which sends people to its callback. */
  admit(origin: string): void
  close(): Promise<void>
}

/** The groups of each person; others cannot log in. */
type People = Readonly<Record<string, readonly string[]>>

const clientId = 'metastore-web'
const audience = 'metastore'
const resource = 'urn:metastore'
const scopes = 'openid profile email'
/** It has no scripts, and needs no other server. */
const loginPage = `<!DOCTYPE html><html lang="en"><head><title>Issuer</title><link rel="icon" href="data:,"></head><body><main>
<h1>Who are you?</h1><form method="post"><label>Name <input name="login"></label>
<button>Sign in</button><button name="refuse" value="1">Refuse</button></form></main></body></html>`

/** Starts the issuer `oidc-provider`, with a login page without a password. */
export async function startLoginIssuer(people: People): Promise<LoginIssuer> {
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'key', use: 'sig', alg: 'RS256' }
  let origin = url
  let provider = new Provider(url, configuration(origin, people, key))
  let own = handlerOfOther(() => provider.callback())
  let requests = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', url)
    if (pathname === '/token' && request.method === 'POST') {
      requests++
      if (issuer.tokenAnswer) {
        response.writeHead(issuer.tokenAnswer.status, {
          'Content-Type': 'application/json',
          'Access-Control-Allow-Origin': origin,
        })
        response.end(JSON.stringify(issuer.tokenAnswer.body))
        return
      }
    }
    if (!pathname.startsWith('/interaction/')) return own(request, response)
    if (request.method !== 'POST') {
      response.setHeader('Content-Type', 'text/html').end(loginPage)
      return
    }
    const form = new URLSearchParams(await text(request))
    const accountId = form.get('login') ?? ''
    const isRefused = form.has('refuse') || !(accountId in people)
    const refusal = { error: 'access_denied', error_description: 'The person <b>said no</b>.' }
    await provider.interactionFinished(request, response, isRefused ? refusal : { login: { accountId } })
  }

  const issuer: LoginIssuer = {
    ...{ url, audience, clientId },
    tokenRequests: () => requests,
    tokenAnswer: undefined,
    admit(admitted) {
      origin = admitted
      provider = new Provider(url, configuration(origin, people, key))
      own = handlerOfOther(() => provider.callback())
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return issuer
}

function configuration(origin: string, people: People, key: object): object {
  return {
    jwks: { keys: [key] },
    cookies: { keys: ['a key of tests'] },
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${origin}/app/callback`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    pkce: { required: () => true },
    clientBasedCORS: (_: unknown, asking: string) => asking === origin,
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    // The people of tests are not asked what the application may know.
    async loadExistingGrant({ oidc: { provider, client, session } }: OidcContext) {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope(scopes)
      grant.addResourceScope(resource, scopes)
      await grant.save()
      return grant
    },
    extraTokenClaims: (_: unknown, { accountId }: { readonly accountId: string }) => ({
      preferred_username: accountId,
      groups: people[accountId],
    }),
    renderError(ctx: { type: string; body: string }, { error }: { readonly error: string }) {
      ctx.type = 'text'
      ctx.body = error
    },
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 3600,
      Session: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          ...{ scope: scopes, audience, accessTokenFormat: 'jwt', accessTokenTTL: 3600 },
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  }
}
