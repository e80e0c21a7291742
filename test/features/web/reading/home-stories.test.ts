import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../../support/browser/open-browser.js'
import { pressUntilFocused, type Way, ways } from '../../../support/browser/ways-of-input.js'
import { startSearchExamples } from '../../../support/http/search-examples.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const plain: Way = {
  name: 'without JavaScript',
  options: { javaScriptEnabled: false },
  activate: (_, target) => target.click(),
}

describeInBrowser('a person who opens the service in the browser', browser => {
  let origin: string
  before(async () => {
    origin = `http://127.0.0.1:${(await startSearchExamples()).port}`
  })
  after(removeRepositories)

  for (const { name: way, options, activate } of [...ways, plain]) {
    it(`1. sees what is there and what changed last, and reaches any record in two steps, ${way}`, async () => {
      const { page, check } = await browser.open(origin, options)
      const checkPage = way === plain.name ? async () => {} : check
      await page.goto(`${origin}/`)
      await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
      const numbers = await page.locator('.numbers a').allInnerTexts()
      expect(numbers.map(text => text.replace(/\s+/g, ' '))).to.deep.equal([
        '4 metadata documents',
        '2 schemas',
      ])
      const latest = page.getByRole('region', { name: 'What changed last' }).getByRole('listitem')
      expect(await latest.first().innerText()).to.match(
        /^\s*Someone without a login added the document Korngröße/,
      )
      await checkPage()

      // By the list.
      await activate(page, page.getByRole('link', { name: /^4\s*metadata documents$/ }))
      await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor()
      await checkPage()
      await activate(page, page.getByRole('link', { name: 'Iron bar', exact: true }))
      await page.getByRole('heading', { level: 1, name: 'Iron bar' }).waitFor()
      await checkPage()

      // By words.
      await page.goto(`${origin}/`)
      await searchFor(page, 'brittle', way)
      await checkPage()
      await activate(page, page.getByRole('link', { name: 'Steel rod 7', exact: true }))
      await page.getByRole('heading', { level: 1, name: 'Steel rod 7' }).waitFor()
    })
  }

  it('1. finds the same pages in the header everywhere', async () => {
    const { page } = await browser.open(origin)
    const headers: Record<string, string[]> = {}
    for (const path of [
      '/dashboard',
      '/schema-management',
      '/search?q=steel',
      '/app/search',
      '/app/drafts',
    ]) {
      await page.goto(origin + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
      headers[path] = []
      for (const link of await links.all()) {
        const href = (await link.getAttribute('href')) ?? ''
        headers[path].push(`${await link.innerText()} ${new URL(href, page.url()).pathname}`)
      }
    }
    const expected = [
      'Dashboard /dashboard',
      'Documents /metadata-management',
      'Schemas /schema-management',
      'Search and list /app/search',
      'What changed /app/changes',
      'Drafts /app/drafts',
    ]
    for (const [path, links] of Object.entries(headers)) expect(links, path).to.deep.equal(expected)
  })

  it('1. reaches the pages that follow changes and narrow the list', async () => {
    const { page } = await browser.open(origin)
    for (const [link, heading] of [
      ['Follow all changes, as they come', 'What changed'],
      ['List everything, and narrow it by checkboxes', 'Search and list'],
    ]) {
      await page.goto(`${origin}/dashboard`)
      await page.getByRole('link', { name: link ?? '' }).click()
      await page.getByRole('heading', { level: 1, name: heading ?? '' }).waitFor()
    }
  })

  it('3. gets a page of the same results without JavaScript', async () => {
    const { page } = await browser.open(origin, plain.options)
    await page.goto(`${origin}/app/search?q=steel&schema=measurement&year=2024&author=Noether%2C+Emmy`)
    await page.getByRole('link', { name: 'see what is found' }).click()
    await page.locator('strong').getByText('1 record', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Steel rod 8', exact: true }).waitFor()
  })
})

async function searchFor(page: Page, words: string, way: string): Promise<void> {
  const box = page.getByRole('searchbox', { name: 'Search words' })
  if (way === 'by keyboard alone') await pressUntilFocused(page, 'Tab', box)
  await box.fill(words)
  await box.press('Enter')
  await page.getByRole('heading', { level: 1, name: `Search: ${words}` }).waitFor()
}
