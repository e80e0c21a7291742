import type { Page } from 'playwright-core'
import { openBearerAuthentication } from '../../../src/http/auth/bearer-authentication.js'
import { openIssuer } from '../../../src/http/auth/openid-issuer.js'
import { openSharedSecretVerifier } from '../../../src/http/auth/token-verification.js'
import { type LoginIssuer, startLoginIssuer } from '../http/login-issuer.js'
import { secret, userToken } from '../http/test-tokens.js'
import { type ServiceWithHistory, serviceWithHistory } from './example-history.js'

/** A service that asks for tokens, whose records belong to `ada`, and an issuer at which people log in. */
export interface ServiceWithLogin extends ServiceWithHistory {
  readonly issuer: LoginIssuer
}

/** The issuer knows `ada`, `bob` of the group `readers`, and `carol`. The caller closes it. */
export async function serviceWithLogin(): Promise<ServiceWithLogin> {
  const issuer = await startLoginIssuer({ ada: [], bob: ['readers'], carol: [] })
  const claims = { username: 'preferred_username', groups: 'groups' }
  const history = await serviceWithHistory(
    {
      identify: openBearerAuthentication({
        issuer: { ...openIssuer({ issuer: issuer.url, audience: issuer.audience }), claims },
        secret: openSharedSecretVerifier(Buffer.from(secret)),
        addressOf: request => request.socket.remoteAddress,
      }),
      features: { auth: true, 'oidc-issuer': issuer.url, 'oidc-client-id': issuer.clientId },
    },
    await userToken('ada'),
  )
  issuer.admit(history.origin)
  return { ...history, issuer }
}

/** Logs in at the issuer, from a page with the ways to log in. */
export async function logInAtIssuer(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Log in at / }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.session').getByText(name).waitFor()
}

/** Logs in with a token, from a page with the ways to log in. */
export async function logInWithToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Use this token' }).click()
}

/**
 * Everything that the browser keeps for the application, as one text: storages, databases, cookies and the addresses of the
 * history.
 */
export async function keptByBrowser(page: Page): Promise<string> {
  const kept = await page.evaluate<object>(`(async () => ({
    session: { ...sessionStorage },
    local: { ...localStorage },
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    cookie: document.cookie,
    history: navigation.entries().map(({ url }) => url),
    state: history.state,
    name,
  }))()`)
  const { origin } = new URL(page.url())
  return JSON.stringify([kept, await page.context().cookies(origin)])
}
