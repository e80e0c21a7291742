import { expect } from 'chai'
import { describeInBrowser, isChangeStream, type OpenOptions } from '../../../support/browser/open-browser.js'
import {
  keptByBrowser,
  logInAtIssuer,
  logInWithToken,
  type ServiceWithLogin,
  serviceWithLogin,
} from '../../../support/browser/service-with-login.js'
import { ways } from '../../../support/browser/ways-of-input.js'
import { signToken, userToken } from '../../../support/http/test-tokens.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

/** The form of a token, of which storages may have none. */
const anyToken = /eyJ[\w-]+\.[\w-]+\./
/** Answers of the interface to somebody who has not logged in. */
const refused = /^40[13] \/api/

describeInBrowser('a person who logs in in the browser', browser => {
  let site: ServiceWithLogin
  before(async () => {
    site = await serviceWithLogin()
  })
  afterEach(() => {
    site.issuer.tokenAnswer = undefined
  })
  after(async () => {
    await site.issuer.close()
    await removeRepositories()
  })

  async function open(address: string, options: OpenOptions = {}) {
    const watched = await browser.open(site.origin, { issuer: site.issuer.url, ...options })
    await watched.page.goto(`${site.origin}/app/${address}`)
    return watched
  }

  for (const { name, options, activate } of ways) {
    it(`24. logs in at an issuer over the page that needs it, and comes back to it, ${name}`, async () => {
      const { page, check } = await open('metadata/rod/versions?x=1', { ...options, expected: refused })
      await activate(page, page.getByRole('alert').getByRole('button', { name: 'Log in' }))
      await page.getByRole('dialog', { name: 'Log in to go on' }).waitFor()
      await check()
      await activate(page, page.getByRole('button', { name: /^Log in at / }))
      await page.getByLabel('Name').fill('ada')
      await page.keyboard.press('Enter')

      await page.getByRole('heading', { name: 'Versions of Steel rod' }).waitFor()
      await page.getByText('5 versions').waitFor()
      expect(new URL(page.url()).pathname + new URL(page.url()).search).to.equal(
        '/app/metadata/rod/versions?x=1',
      )
      await page.locator('.session').getByText('ada').waitFor()
      expect(await page.locator('.session').innerText()).to.match(/ada\s+until\s+in (?:1 hour|\d+ minutes)/)
      const kept = await keptByBrowser(page)
      expect(kept).to.not.match(anyToken)
      // Neither the code nor the page of the callback is in the history.
      expect(kept).to.not.match(/code=|callback|verifier/)
      await check()
    })
  }

  it('24. logs in from a list of the server, and has the list of what the person may read', async () => {
    const { page, check } = await browser.open(site.origin, { issuer: site.issuer.url })
    await page.goto(`${site.origin}/metadata-management`)
    expect(await page.locator('main').innerText()).to.not.contain('Steel rod')
    await check()
    await page.getByRole('banner').getByRole('link', { name: 'Log in' }).click()
    await logInAtIssuer(page, 'ada')

    await page.getByRole('link', { name: 'Steel rod' }).waitFor()
    expect(await page.getByRole('checkbox', { name: /^Documents/ }).isChecked()).to.equal(true)
  })

  it('24. stays logged in until the window is closed if it says so; logging out leaves no token', async () => {
    const { page } = await open('login?from=/metadata/rod/versions', { expected: refused })
    await page
      .getByRole('checkbox', { name: 'Keep me logged in until I close this window', exact: true })
      .check()
    await logInAtIssuer(page, 'bob')
    // Bob may not read the record.
    await page.goto(`${site.origin}/app/login`)
    await page.getByRole('heading', { name: 'You are logged in' }).waitFor()
    expect(await page.locator('main').innerText()).to.contain('readers')
    expect(await page.evaluate<string>('JSON.stringify({ ...sessionStorage })')).to.match(anyToken)
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).to.not.match(anyToken)
    const second = await page.context().newPage()
    await second.goto(`${site.origin}/app/login`)
    await second.getByRole('heading', { name: 'Log in', exact: true }).waitFor()
    await logInWithToken(second, await userToken('carol'))
    await second.getByRole('heading', { name: 'You are logged in' }).waitFor()

    await page.getByRole('button', { name: 'Log out' }).click()

    await page.getByText('You are logged out.').waitFor()
    await second.getByRole('heading', { name: 'Log in', exact: true }).waitFor()
    for (const each of [page, second]) {
      expect(await keptByBrowser(each)).to.not.match(anyToken)
      expect(await each.content()).to.not.match(anyToken)
    }
    await page.goBack()
    expect(await page.locator('.session').getByRole('button').count()).to.equal(0)
  }).timeout(120_000)

  it('24. pastes a token: it is tried first, and forgotten with the page', async () => {
    const { page, check } = await open('login', { expected: /^401 \/api\/whoami/ })
    for (const [wrong, why] of [
      ['not a token', 'This is not a token'],
      ['Bearer abc.def.ghi', 'The server does not accept this token.'],
      [await signToken({ username: 'ada' }, undefined, -100), 'The server does not accept this token.'],
    ] as const) {
      await logInWithToken(page, wrong)
      await page.getByRole('alert').filter({ hasText: why }).waitFor()
    }
    await check()

    await logInWithToken(page, ` Bearer ${await userToken('ada')} `)

    await page.getByRole('heading', { name: 'You are logged in' }).waitFor()
    expect(await keptByBrowser(page)).to.not.match(anyToken)
    await check()
    await page.reload()
    await page.getByRole('heading', { name: 'Log in', exact: true }).waitFor()
  })

  it('shows names with markup as text', async () => {
    const { page, check } = await open('login')
    const token = await userToken('<img src=x onerror=alert(1)>', ['USER'], { groups: ['<b>"g\u202e</b>'] })

    await logInWithToken(page, token)

    await page.getByRole('heading', { name: 'You are logged in' }).waitFor()
    expect(await page.locator('main').innerText())
      .to.contain('<b>"g')
      .and.contain('<img src=x')
    expect(await page.locator('main img, header img').count()).to.equal(0)
    await check()
  })

  it('401: keeps what was typed when the token ends: logs in over the page, and stores it', async () => {
    // The server accepts a token for 30 seconds after its end.
    const validity = -15
    const token = await signToken({ username: 'ada', roles: '["ROLE_USER"]' }, undefined, validity)
    const { page, check } = await open('login?from=/metadata/rod/edit?view=text', { expected: refused })
    await logInWithToken(page, token)
    const content = page.locator('.cm-content')
    await content.waitFor()
    await content.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText(' ')
    await waitUntil('the end of the token', async () => {
      const response = await fetch(`${site.origin}/api/whoami`, {
        headers: { Authorization: `Bearer ${token}` },
      })
      return response.status === 401
    })

    await page.keyboard.press('Control+s')

    await page.locator('.session').getByText('Your login has ended.').waitFor()
    await page.getByRole('alert').getByRole('button', { name: 'Log in' }).click()
    await logInWithToken(page, await userToken('ada'))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await content.focus()
    await page.keyboard.press('Control+s')
    await page.getByText('Stored as version 6.').waitFor()
    await check()
  })

  it('403: is offered once to log in by a page that needs several things which it may not read', async () => {
    const { page, check } = await open('metadata/rod/edit', { expected: refused })

    await page.getByRole('alert').getByRole('button', { name: 'Log in' }).waitFor()

    expect(await page.getByRole('button', { name: 'Log in' }).count()).to.equal(1)
    expect(await page.locator('main').innerText()).to.not.contain('You may read this')
    await page.getByRole('navigation', { name: 'This record' }).waitFor({ state: 'detached' })
    await check()
    await page.getByRole('button', { name: 'Log in' }).click()
    const token = page.getByRole('dialog', { name: 'Log in to go on' }).getByLabel('Token', { exact: true })
    await token.waitFor()
    // A screen reader says all of an alert again with each change in it, so the dialog is in none.
    expect(await page.getByRole('alert').getByRole('dialog').count()).to.equal(0)
    await check()
  })

  it('finds its draft again after the way over the issuer', async () => {
    const { page, check } = await open('login?from=/metadata/rod/edit?view=text', { expected: refused })
    page.on('dialog', dialog => void dialog.accept())
    await logInWithToken(page, await userToken('ada'))
    const content = page.locator('.cm-content')
    await content.waitFor()
    await content.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('\n')
    await waitUntil('the draft', async () => (await page.evaluate<number>('localStorage.length')) === 1)
    await page.reload()

    await page.getByRole('alert').getByRole('button', { name: 'Log in' }).click()
    await logInAtIssuer(page, 'ada')

    await page.getByText('This browser has kept a text').waitFor()
    await check()
    await page.getByRole('button', { name: 'Continue with it' }).click()
    await content.waitFor()
    expect(await content.innerText()).to.match(/\n\s*$/)
  })

  it('is told of changes by others while it is logged in', async () => {
    const { page, check } = await open('login?from=/metadata/nameless/edit?view=text')
    await logInWithToken(page, await userToken('ada'))
    await page.locator('.cm-content').waitFor()

    await site.service.http
      .put('/api/v1/metadata/nameless')
      .set('If-Match', '*')
      .attach('document', Buffer.from('{ "name": "Rod D" }'), 'document')
      .expect(200)

    await page.getByRole('status').filter({ hasText: 'ada has just stored version' }).waitFor()
    await check()
  })

  it('reads the stream of changes no longer when the window is hidden for a minute, and misses nothing', async () => {
    const { page, check } = await open('login?from=/metadata/nameless/edit?view=text', { isAlone: true })
    await page.clock.install()
    const streams: string[] = []
    page.on('request', each => isChangeStream(each) && streams.push('opened'))
    page.on('requestfailed', each => isChangeStream(each) && streams.push('closed'))
    const show = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`)
    await logInWithToken(page, await userToken('ada'))
    await page.locator('.cm-content').waitFor()
    await waitUntil('the stream', () => streams.join() === 'opened')

    await show(true)
    await page.clock.fastForward(59_000)
    await show(false)
    await page.clock.fastForward(61_000)
    expect(streams).to.deep.equal(['opened'])
    await show(true)
    await page.clock.fastForward(61_000)
    await waitUntil('the end of the stream', () => streams.join() === 'opened,closed')
    await site.service.http
      .put('/api/v1/metadata/nameless')
      .set('If-Match', '*')
      .attach('document', Buffer.from('{ "name": "Rod E" }'), 'document')
      .expect(200)
    await show(false)

    await page.getByRole('status').filter({ hasText: 'ada has just stored version' }).waitFor()
    await waitUntil('the next stream', () => streams.join() === 'opened,closed,opened')
    await check()
  })

  it('refuses an answer of an issuer that it has not asked for', async () => {
    const before = site.issuer.tokenRequests()
    const { page, check } = await open('callback?code=abc&state=forged')

    await page.getByRole('alert').filter({ hasText: 'This window has not begun this login' }).waitFor()

    expect(page.url()).to.equal(`${site.origin}/app/callback`)
    await check()
    // Also while another login is under way, which then is over.
    await page.getByRole('link', { name: 'Log in again' }).click()
    await page.getByRole('button', { name: /^Log in at / }).click()
    await page.getByLabel('Name').waitFor()
    await page.goto(`${site.origin}/app/callback?code=abc&state=forged`)
    await page.getByRole('alert').filter({ hasText: 'This window has not begun this login' }).waitFor()
    expect(site.issuer.tokenRequests()).to.equal(before)
    expect(await page.evaluate('sessionStorage.length')).to.equal(0)
  })

  it('says what the issuer answers when it refuses, as text', async () => {
    const { page, check } = await open('login?from=/drafts', { expected: /^400 / })
    await page.getByRole('button', { name: /^Log in at / }).click()
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('The issuer refuses the login: The person <b>said no</b>.').waitFor()
    await check()

    site.issuer.tokenAnswer = {
      status: 400,
      body: { error: 'invalid_grant', error_description: '<i>no</i>' },
    }
    await page.getByRole('link', { name: 'Log in again' }).click()
    await page.getByRole('button', { name: /^Log in at / }).click()
    await page.getByLabel('Name').fill('ada')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The issuer refuses the login: <i>no</i>').waitFor()
    expect(await page.evaluate('sessionStorage.length')).to.equal(0)
    await check()
  })

  it('goes back to pages of the application only', async () => {
    const { page, check } = await open('login')
    const hostile = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/../../dashboard',
      '/%2e%2e/x',
    ]
    for (const from of hostile) {
      await page.goto(`${site.origin}/app/login?from=${encodeURIComponent(from)}`)
      await logInWithToken(page, await userToken('ada'))
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor()
      expect(new URL(page.url()).pathname, from).to.equal('/app/login')
    }
    await check()
    await page.goto(`${site.origin}/app/login?from=${encodeURIComponent('/drafts')}`)
    await logInWithToken(page, await userToken('ada'))
    await page.getByRole('heading', { name: 'Drafts in this browser' }).waitFor()
    await check()
  })
})
