import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser } from '../../../support/browser/open-browser.js'
import { logInWithToken, serviceWithLogin } from '../../../support/browser/service-with-login.js'
import { userToken } from '../../../support/http/test-tokens.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

/** The element that has the focus; `body` if none has. */
const focused = (page: Page) => page.evaluate<string>('document.activeElement.tagName.toLowerCase()')

describeInBrowser('a person who hears the browser application', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
  })
  after(removeRepositories)

  async function open(address: string, expected?: RegExp) {
    const watched = await browser.open(history.origin, expected ? { expected } : {})
    await watched.page.goto(`${history.origin}/app/${address}`)
    return watched
  }

  it('stores by the key from everywhere on a page that stores', async () => {
    const { page, check } = await open('new?schema=rods', /^422 /)
    await page.locator('.schema-form .fields').first().waitFor()
    await page.getByLabel('What the document describes').focus()
    await page.keyboard.press('Control+s')
    await page.getByText('What the document describes is missing.').first().waitFor()
    await check()

    await page.goto(`${history.origin}/app/metadata/rod/edit?view=text`)
    const content = page.locator('.cm-content')
    await content.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('\n')
    await page.getByRole('link', { name: 'All drafts in this browser' }).click()
    await page.getByRole('link', { name: 'Steel rod' }).click()
    await page.getByRole('button', { name: 'Continue with it' }).click()
    expect(await focused(page)).to.equal('h1')
    await page.locator('.schema-form .fields').first().waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Stored as version 6.').waitFor()
  })

  it('hears how to leave an editor before it comes to it', async () => {
    const { page } = await open('metadata/rod/edit?view=text')
    const content = page.locator('.cm-content')
    await content.waitFor()
    const hint = 'In the text, Tab indents: Escape, then Tab leaves the editor.'
    expect(
      await content.evaluate((editor: { getAttribute(name: string): string; getRootNode(): never }) => {
        const root: { getElementById(id: string): { textContent: string } } = editor.getRootNode()
        return root.getElementById(editor.getAttribute('aria-describedby')).textContent
      }),
    ).to.equal(hint)
    expect((await page.locator('main').innerText()).indexOf(hint)).to.be.above(0)
  })

  it('hears at which change it is, in both views of a comparison', async () => {
    const { page, check } = await open('metadata/rod/compare?from=2&to=4')
    await page.getByText('2 changes in the text').waitFor()
    for (const said of ['Change 1 of 2, line 2', 'Change 2 of 2, line 4']) {
      await page.keyboard.press('F7')
      await page.getByRole('status').filter({ hasText: said }).waitFor()
    }
    await page.keyboard.press('F7')
    await page.getByText('Change 1 of 2, line 2. The search has wrapped around.').waitFor()
    await page.getByRole('link', { name: 'List of changes' }).click()
    await page.getByText('changes of values').waitFor()
    await page.keyboard.press('F7')
    await page.getByRole('status').filter({ hasText: 'Change 1 of' }).waitFor()
    expect(await focused(page)).to.equal('tr')
    await check()
  })

  it('keeps its place when it swaps versions, and hears which it compares', async () => {
    const { page, check } = await open('metadata/rod/compare?from=2&to=4&view=list')
    await page.getByRole('button', { name: 'Swap' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /^Version 4: .* Version 2: / })
      .waitFor()
    expect(await page.getByLabel('From version').inputValue()).to.equal('4')
    expect(await page.locator('button:focus').innerText()).to.equal('Swap')
    await check()
  })

  it('goes on reading at the first entry that comes when it loads more', async () => {
    const site = await serviceWithHistory()
    for (let value = 0; value < 100; value++) await site.revise(`{ "name": "Rod ${value}" }`)
    const { page, check } = await browser.open(site.origin)
    for (const [address, button, entries] of [
      ['changes', 'Show older changes', '.feed li'],
      ['metadata/rod/versions', 'Show older versions', 'tbody tr'],
    ] as const) {
      await page.goto(`${site.origin}/app/${address}`)
      const more = page.getByRole('button', { name: button })
      await more.waitFor()
      const before = await page.locator(entries).count()
      await more.click()
      await page.locator(`${entries}:focus`).waitFor()
      const place = await page.evaluate<number>(
        `[...document.querySelectorAll('${entries}')].indexOf(document.activeElement)`,
      )
      expect(place, address).to.equal(before)
      await check()
    }
  })

  it('is told politely of a version by others while it has typed nothing, and sees it', async () => {
    const { page, check } = await open('metadata/rod/edit?view=text')
    await page.locator('.cm-content').waitFor()
    await history.revise('{ "name": "Told" }')
    const news = page.getByRole('status').filter({ hasText: 'has just stored version' })
    await news.waitFor()
    expect(await page.getByRole('alert').count()).to.equal(0)
    await news.getByRole('button', { name: 'Show it' }).click()
    await page.locator('.cm-content').getByText('"Told"').waitFor()
    await check()
  })

  it('is told in plain words that there is no such record, with a search for its name', async () => {
    const { page, check } = await open('metadata/nothing/versions', /^404 /)
    await page.getByRole('heading', { level: 1, name: 'There is no such record' }).waitFor()
    await page.getByRole('alert').waitFor()
    expect(await page.locator('main').innerText()).to.not.match(/Loading|Versions of/)
    await check()
    await page.getByRole('link', { name: 'Search for “nothing”' }).click()
    await page.getByRole('heading', { level: 1, name: 'nothing – Search' }).waitFor()
  })

  it('hears what is not stored yet, and what was stored, of rights and state', async () => {
    const site = await serviceWithLogin()
    const { page, check } = await browser.open(site.origin, { issuer: site.issuer.url })
    await page.goto(`${site.origin}/app/login?from=/metadata/rod/access`)
    await logInWithToken(page, await userToken('ada'))
    await page.getByText('To delete the record, withdraw it first').waitFor()
    await page.getByLabel('Name of the person or group').fill('bob')
    await page.getByRole('button', { name: 'Add to the list' }).click()
    await page.getByText('bob may read. Not stored yet.').waitFor()
    await page.getByRole('button', { name: 'Remove bob' }).click()
    await page.getByText('bob is not in the list any more. Not stored yet.').waitFor()
    await page.locator('p:focus').waitFor()
    await page.getByRole('button', { name: 'Withdraw it' }).click()
    await page.getByText('The record is withdrawn.').waitFor()
    await page.locator('p:focus').waitFor()
    await check()
    await site.issuer.close()
  })
})
