import { expect } from 'chai'
import type { Route } from 'playwright-core'
import {
  rodTexts,
  type ServiceWithHistory,
  serviceWithHistory,
} from '../../../support/browser/example-history.js'
import { describeInBrowser } from '../../../support/browser/open-browser.js'
import { replaceText } from '../../../support/browser/ways-of-input.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

/*
 * A proxy between the browser and the server answers in its place.
 */

const newest = rodTexts[4] ?? ''
const expected = /^(?:503|429|409) |^422 .*validate/

function refuse(route: Route, status: number, seconds: number): Promise<void> {
  const headers = { 'Retry-After': String(seconds), 'Content-Type': 'application/problem+json' }
  return route.fulfill({ status, headers, body: JSON.stringify({ status, detail: 'Too much to do.' }) })
}

describeInBrowser('503 and 429: a person whose server has too much to do', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
  })
  after(removeRepositories)

  const stored = async () => (await history.service.http.get('/api/v2/metadata/rod').buffer(true)).text

  async function openText(path: string) {
    const watched = await browser.open(history.origin, { expected })
    await watched.page.goto(`${history.origin}/app/${path}`)
    await watched.page.locator('.cm-content').waitFor()
    return watched
  }

  it('sees how long the page waits as Retry-After says, and reads it then by itself', async () => {
    const { page, check } = await browser.open(history.origin, { expected })
    await page.route('**/api/v2/metadata/rod/versions*', route => refuse(route, 503, 3), { times: 1 })
    const notice = page.locator('.notice').filter({ hasText: 'The server is busy. Too much to do.' })

    // It is there for the seconds of the countdown only.
    await Promise.all([
      notice.getByRole('timer').filter({ hasText: 'Trying again in' }).waitFor(),
      page.goto(`${history.origin}/app/metadata/rod/versions`),
    ])

    await page.getByText('5 versions').waitFor()
    expect(await page.getByRole('timer').count()).to.equal(0)
    await check()
  })

  it('stops the waiting, and tries again when it is wanted', async () => {
    const { page, check } = await browser.open(history.origin, { expected })
    await page.route('**/api/v2/metadata/rod/versions*', route => refuse(route, 429, 600), { times: 1 })
    await page.goto(`${history.origin}/app/metadata/rod/versions`)

    await page.getByRole('button', { name: 'Stop trying' }).click()
    await page.getByText('Not tried again by itself.').waitFor()
    await check()
    await page.getByRole('button', { name: 'Try again now' }).click()

    await page.getByText('5 versions').waitFor()
  })

  it('has a change stored by itself, once, and for the state that it was made from', async () => {
    const { page, check } = await openText('metadata/rod/edit?view=text')
    const sent: (string | undefined)[] = []
    await page.route('**/api/v2/metadata/rod', async route => {
      if (route.request().method() !== 'PUT') return await route.continue()
      sent.push(route.request().headers()['if-match'])
      await (sent.length === 1 ? refuse(route, 503, 1) : route.continue())
    })
    await replaceText(page, newest.replace('Rod B', 'Busy rod'))

    await page.keyboard.press('Control+s')

    await page.getByText('Stored as version 6.').waitFor()
    expect(await stored()).to.equal(newest.replace('Rod B', 'Busy rod'))
    expect(sent).to.have.length(2)
    expect(sent[1]).to.equal(sent[0])
    expect(sent[0]).to.match(/^"/)
    await check()
  })

  it('types on meanwhile: nothing half-typed is stored by itself', async () => {
    const { page, check } = await openText('metadata/nameless/edit?view=text')
    await page.route('**/api/v2/metadata/nameless', route =>
      route.request().method() === 'PUT' ? refuse(route, 503, 600) : route.continue(),
    )
    await replaceText(page, '{ "name": "Rod D" }')
    await page.keyboard.press('Control+s')
    await page.getByRole('timer').waitFor()
    const message = page.getByLabel('What did you change?')
    await message.fill('Half a mess')
    await page.getByRole('timer').waitFor({ state: 'detached' })
    await message.fill('')
    await page.getByRole('timer').waitFor()

    await replaceText(page, '{ "name": "Rod')

    await page.getByRole('timer').waitFor({ state: 'detached' })
    await page.getByText('The server is busy.').waitFor()
    await check()
  })

  it('409: reads that its message is not in the history; what is stored is called stored although it cannot be read', async () => {
    const { page } = await openText('metadata/nameless/edit?view=text')
    await page.route('**/api/v2/metadata/nameless/overview?version=*', route => refuse(route, 503, 600))
    const message = page.getByLabel('What did you change?')
    await replaceText(page, '{ "name": "Said" }')
    await message.fill('Said why')
    await message.press('Enter')
    const said = page.getByText(/^Stored as version \d+\./)
    await said.waitFor()
    expect(await said.innerText()).to.not.contain('message')
    const versions = async () => (await history.service.http.get('/api/v2/metadata/nameless/versions')).body
    expect((await versions())[0].message).to.equal('Said why')

    // As a server refuses a change set about a record whose newest commit breaks a rule.
    await page.route('**/api/changesets', route => refuse(route, 409, 0))
    await replaceText(page, '{ "name": "Unsaid" }')
    await message.fill('Said why again')
    await message.press('Enter')

    await page.getByText('Your message is not in the history').waitFor()
    expect((await versions())[0].message).to.not.contain('again')
  })

  async function openNew(resource: string) {
    const watched = await openText(`new?schema=rods&view=text&resource=${resource}`)
    await replaceText(watched.page, '{ "name": "New" }')
    return watched
  }
  const recordsOf = async (resource: string) =>
    (await history.service.http.get(`/api/v2/metadata?resourceId=${resource}`)).body

  it('is never stored twice: a document that arrived is found before it is sent again', async () => {
    const resource = 'https://example.org/arrived'
    const { page } = await openNew(resource)
    let posts = 0
    await page.route('**/api/v2/metadata', async route => {
      posts++
      await route.fetch()
      await refuse(route, 503, 1)
    })

    await page.getByRole('button', { name: 'Store', exact: true }).click()

    await page.waitForURL(/\/app\/metadata\/[0-9a-f-]{36}/)
    expect(posts).to.equal(1)
    expect(await recordsOf(resource)).to.have.length(1)
  })

  it('types on while it is being stored: nothing half-typed is stored by itself', async () => {
    const { page } = await openNew('https://example.org/typed')
    await page.route('**/api/v2/metadata', async route => {
      await replaceText(page, '{ "name": "Ne')
      await refuse(route, 503, 600)
    })

    await page.getByRole('button', { name: 'Store', exact: true }).click()

    await page.getByText('The server is busy.').waitFor()
    expect(await page.getByRole('timer').count()).to.equal(0)
  })

  it('has a new document stored by itself, after the server was asked whether it is there', async () => {
    const resource = 'https://example.org/refused'
    const { page } = await openNew(resource)
    const asked: string[] = []
    await page.route('**/api/v2/metadata', route => refuse(route, 429, 1), { times: 1 })
    page.on('request', request => {
      const { pathname } = new URL(request.url())
      if (/^\/api\/v2\/metadata(?:\/[0-9a-f-]{36})?$/.test(pathname))
        asked.push(`${request.method()} ${pathname.split('/').length}`)
    })

    await page.getByRole('button', { name: 'Store', exact: true }).click()

    await page.waitForURL(/\/app\/metadata\/[0-9a-f-]{36}/)
    // The page of the document reads it afterwards.
    expect(asked.slice(0, 3)).to.deep.equal(['POST 4', 'GET 5', 'POST 4'])
    expect(await recordsOf(resource)).to.have.length(1)
  })
})
