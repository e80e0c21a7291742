import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  rodTexts,
  type ServiceWithHistory,
  serviceWithHistory,
} from '../../../support/browser/example-history.js'
import { describeInBrowser, type OpenOptions } from '../../../support/browser/open-browser.js'
import { replaceText } from '../../../support/browser/ways-of-input.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

const newest = rodTexts[4] ?? ''

/** What a browser that forbids pages to keep anything answers. */
const forbidStorage = `Object.defineProperty(globalThis, 'localStorage', {
  get() { throw new DOMException('Access is denied.', 'SecurityError') },
})`

describeInBrowser('a person whose text is kept in the browser', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
  })
  after(removeRepositories)

  async function openEditor(options: OpenOptions & { readonly script?: string } = {}) {
    const watched = await browser.open(history.origin, options)
    if (options.script !== undefined) await watched.page.addInitScript(options.script)
    await watched.page.goto(`${history.origin}/app/metadata/rod/edit?view=text`)
    await watched.page.locator('.cm-content').waitFor()
    return watched
  }

  it('network gone: a bar says so and that the text is kept, until the server is there again', async () => {
    const { page, check } = await openEditor()
    await page.context().setOffline(true)
    await page.getByText('Not connected to the server.').waitFor()
    await replaceText(page, newest.replace('Rod B', 'Kept rod'))
    await page.getByText('Your text is kept in this browser.').waitFor()
    await check()

    const kept = JSON.parse(await draftIn(page))
    expect(kept).to.include({ title: 'Steel rod', version: 5, text: newest.replace('Rod B', 'Kept rod') })
    expect(kept.etag).to.match(/^"[0-9a-f]+"$/)
    expect(kept.follows).to.deep.equal({ id: 'rods', version: 3 })
    expect(kept.caret).to.equal(kept.text.length)
    expect(Date.parse(kept.time)).to.be.a('number').and.not.NaN

    await page.context().setOffline(false)
    await page.getByText('Not connected to the server.').waitFor({ state: 'detached' })
    // What could not be checked is checked now.
    await page.getByText('The text is valid against rods, version 3.').waitFor()
    await check()
  })

  it('network gone: a server that goes and comes back is noticed, and the draft has its schema in the list', async () => {
    const { page, check } = await openEditor()
    await page.route('**/api/**', route => route.abort('connectionrefused'))
    await replaceText(page, '{ "name": "No server" }')
    await page.getByText('Not connected to the server. Your text is kept').waitFor()

    await page.unroute('**/api/**')
    await page.getByText('Not connected to the server.').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'All drafts in this browser' }).click()

    await page.getByText('made from version 5, by the schema rods, version 3').waitFor()
    await check()
  })

  it('network gone: a draft that was stored meanwhile is not offered', async () => {
    const { page, check } = await openEditor()
    const text = newest.replace('Rod B', 'Stored by another way')
    await replaceText(page, text)
    await draftIn(page)
    // The warning of the browser about what is not stored.
    page.on('dialog', dialog => void dialog.accept())
    await page.goto(`${history.origin}/dashboard`)
    await history.revise(text)

    await page.goto(`${history.origin}/app/metadata/rod/edit?view=text`)

    await page.locator('.cm-content').getByText('Stored by another way').waitFor()
    expect(await page.getByText('This browser has kept').count()).to.equal(0)
    expect(await page.evaluate('localStorage.length')).to.equal(0)
    await check()
  })

  it('storage forbidden: it is said once, the text can be saved as a file, and stored', async () => {
    const { page, check } = await openEditor({ script: forbidStorage })

    await replaceText(page, '{ "name": "Kept nowhere" }')
    await page.getByText('This browser cannot keep your text').waitFor()
    await page.keyboard.type(' ')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save it as a file' }).click()
    expect((await download).suggestedFilename()).to.equal('draft.txt')
    expect(await page.getByText('This browser cannot keep your text').count()).to.equal(1)
    await check()
    await page.context().setOffline(true)
    await page.getByText('Not connected to the server.').waitFor()
    expect(await page.getByText('Your text is kept').count()).to.equal(0)
    await page.context().setOffline(false)
    await page.getByText('Not connected to the server.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Store as version/ }).click()
    await page.getByText(/^Stored as version/).waitFor()
    await page.getByRole('link', { name: 'All drafts in this browser' }).click()

    await page.getByText('This browser does not let this page keep anything').waitFor()
    await check()
  })
})

/** The draft that the browser keeps, when it does. */
async function draftIn(page: Page): Promise<string> {
  await waitUntil('the draft', async () => (await page.evaluate('localStorage.length')) === 1)
  return await page.evaluate<string>('localStorage.getItem(localStorage.key(0))')
}
