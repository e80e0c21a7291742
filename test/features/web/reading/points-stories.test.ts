import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../../support/browser/open-browser.js'
import { ways } from '../../../support/browser/ways-of-input.js'
import { searchHasAll, startSearchExamples, storeDocument } from '../../../support/http/search-examples.js'
import type { TestService } from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

describeInBrowser('a person who reads a point of history in the browser', browser => {
  let service: TestService
  let origin: string
  /** A time at which the repository had the state of the tag. */
  let time: string
  before(async () => {
    service = await startSearchExamples()
    origin = `http://127.0.0.1:${service.port}`
    await service.repository.git('tag', '2026-spring')
    time = (await service.http.get('/api/v2/metadata/grain').set('Accept', recordType)).body.lastUpdate
    await service.http
      .put('/api/v1/metadata/rod-7')
      .set('If-Match', '*')
      .attach('document', Buffer.from('{ "title": "A bent rod" }'), 'document')
      .expect(200)
    await storeDocument(service, 'later', { title: 'Later' })
    await searchHasAll(service)
  })
  after(removeRepositories)

  it('is led by every link to a page that is there', async () => {
    const { page } = await browser.open(origin)
    const found = new Map<string, string>()
    for (const path of [
      ...['app/search', 'app/changes', 'app/drafts', 'app/metadata/rod-7/versions', 'metadata-management'],
      ...['metadata-landing-page?id=rod-7', 'schema-landing-page?schemaId=sample'],
    ]) {
      await page.goto(`${origin}/${path}${path.includes('?') ? '&' : '?'}at=2026-spring`)
      await page.getByText('As of 2026-spring').or(page.locator('.notice')).first().waitFor()
      const links = await page
        .locator('a[href]')
        .evaluateAll(all => all.map(each => (each as { href: string } & typeof each).href))
      for (const link of links) if (link.startsWith(origin)) found.set(link.replace(/#.*/, ''), path)
    }
    expect(found.size).to.be.above(20)
    for (const [link, path] of found)
      expect(
        (await fetch(link, { headers: { Accept: 'text/html' } })).status,
        `${link} on ${path}`,
      ).to.be.below(400)
  })

  const banner = (page: Page, point: string) =>
    page.getByRole('status').filter({ hasText: `As of ${point}. Nothing can be changed here.` })
  const total = (page: Page, text: string) =>
    page.getByRole('status').filter({ hasText: new RegExp(`^${text}$`) })

  for (const { name: way, options, activate } of ways) {
    it(`22. reads everything as of a tag, where nothing offers to change anything, ${way}`, async () => {
      const { page, check } = await browser.open(origin, options)
      await page.goto(`${origin}/app/search`)
      await total(page, '7 records').waitFor()

      const summary = page.locator('summary', { hasText: 'As of…' })
      if (way === 'by keyboard alone') await summary.press('Enter')
      else await activate(page, summary)
      await page.getByRole('combobox', { name: 'Tag, branch, commit or date' }).fill('2026-spring')
      await page.locator('datalist option[value="2026-spring"]').waitFor({ state: 'attached' })
      await activate(page, page.getByRole('button', { name: 'Show', exact: true }))

      await banner(page, '2026-spring').waitFor()
      await total(page, '6 records').waitFor()
      expect(new URL(page.url()).search).to.equal('?at=2026-spring')
      await waitUntil('the title', async () => (await page.title()).includes('As of 2026-spring'))
      expect(await page.locator('h1:focus').count()).to.equal(1)
      await check()
      await activate(page, page.getByRole('link', { name: 'Steel rod 7' }))
      await page.getByRole('heading', { level: 1, name: 'Steel rod 7' }).waitFor()
      expect(await changers(page)).to.deep.equal([])
      await activate(page, page.getByRole('link', { name: 'Versions', exact: true }))
      await total(page, '1 version').waitFor()
      await banner(page, '2026-spring').waitFor()
      expect(await changers(page)).to.deep.equal([])
      await check()
      await activate(page, page.getByRole('link', { name: 'Who changed what' }))
      await page.getByText('A <b>brittle</b> fracture').waitFor()
      await activate(page, page.getByRole('link', { name: 'What changed' }))
      await page
        .getByRole('region', { name: 'What changed' })
        .getByRole('link', { name: 'Steel rod 7' })
        .waitFor()
      expect(await page.getByRole('region', { name: 'What changed' }).getByRole('listitem').count()).to.equal(
        6,
      )
      await banner(page, '2026-spring').waitFor()
      await check()
      await activate(page, page.getByRole('link', { name: 'Back to now' }))
      await page.getByText('changed the document').first().waitFor()
      expect(new URL(page.url()).search).to.equal('')
    })
  }

  it('22. is told of a point that does not exist before the page goes, and writes a date as pages do', async () => {
    const { page, check } = await browser.open(origin, { expected: /^40[04] \/api\/v2\/metadata/ })
    await page.goto(`${origin}/app/metadata/rod-7/versions`)
    await total(page, '2 versions').waitFor()
    await page.locator('summary', { hasText: 'As of…' }).click()
    const field = page.getByRole('combobox', { name: 'Tag, branch, commit or date' })
    await field.fill('last week')
    await field.press('Enter')

    await page
      .getByRole('alert')
      .filter({ hasText: '“last week” is no tag, branch, commit or date' })
      .waitFor()
    expect(await page.evaluate<boolean>('document.activeElement.matches("[list=points]")')).to.equal(true)
    expect(await field.getAttribute('aria-invalid')).to.equal('true')
    // The message names what was asked for, while the person writes something else.
    await field.fill('yesterday')
    await page.getByText('“last week” is no tag, branch, commit or date').waitFor()
    expect(await page.getByText('“yesterday” is no').count()).to.equal(0)
    expect(await page.locator('h1').innerText()).to.equal('Versions of Steel rod 7')
    await check()
    const rows = await page.getByRole('row').allInnerTexts()
    const [, said = ''] = /\((\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC)\)/.exec(rows.at(-1) ?? '') ?? []
    // A fast machine stores more than the first version in that second.
    const count = rows.filter(row => row.includes(`(${said})`)).length
    await field.fill(said)
    await page.getByRole('button', { name: 'Show', exact: true }).click()

    // The address tells when the page goes: the total may stay as it was.
    await page.waitForURL(/at=/)
    await total(page, count === 1 ? '1 version' : `${count} versions`).waitFor()
    expect(new URL(page.url()).searchParams.get('at')).to.match(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.999Z$/)
  })

  it('22. reads everything as of a time by the address', async () => {
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/app/search?q=brittle&at=${encodeURIComponent(time)}`)
    await total(page, '1 record').waitFor()
    await banner(page, time).waitFor()
    await page.goto(`${origin}/app/search?q=bent&at=${encodeURIComponent(time)}`)
    await total(page, '0 records').waitFor()
    await check()
  })

  it('22. 428: changes nothing, also by the address of a page that does', async () => {
    const { page, check } = await browser.open(origin)
    const pages = ['edit', 'restore?version=1', 'access'].map(name => `metadata/rod-7/${name}`)
    for (const address of [...pages, 'new', 'upload', 'schemas/new']) {
      const separator = address.includes('?') ? '&' : '?'
      await page.goto(`${origin}/app/${address}${separator}at=2026-spring`)
      await page.getByRole('heading', { level: 1, name: 'Nothing can be changed here' }).waitFor()
      expect(await changers(page)).to.deep.equal([])
      await check()
    }
  })

  it('says for a point that does not exist what the server says, and leads back to now', async () => {
    const { page, check } = await browser.open(origin, { expected: /^404 \/api\/v2\/(?:search|metadata)/ })
    await page.goto(`${origin}/app/search?at=never`)
    await page.getByRole('alert').filter({ hasText: 'never' }).waitFor()
    expect(await page.locator('main').innerText()).to.not.contain('As of never')
    expect(await page.title()).to.not.contain('never')
    await check()
    await page.getByRole('link', { name: 'Back to now' }).click()
    await total(page, '7 records').waitFor()
  })

  /** Links and buttons that change something. */
  async function changers(page: Page): Promise<readonly string[]> {
    const all = page.locator('main a, main button')
    return (await all.allInnerTexts()).filter(text =>
      /edit|restore|store|new |register|delete|rights|upload/i.test(text),
    )
  }
})

const recordType = 'application/vnd.datacite.org+json'
