import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  rodTexts,
  type ServiceWithHistory,
  serviceWithHistory,
} from '../../../support/browser/example-history.js'
import { describeInBrowser, type OpenOptions, whileHeldBack } from '../../../support/browser/open-browser.js'
import { replaceText } from '../../../support/browser/ways-of-input.js'
import { metadataType } from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

const newest = rodTexts[4] ?? ''

describeInBrowser('a person who goes on while the server answers', browser => {
  let history: ServiceWithHistory
  beforeEach(async () => {
    history = await serviceWithHistory()
  })
  afterEach(removeRepositories)

  async function open(address: string, options: OpenOptions = {}) {
    const watched = await browser.open(history.origin, options)
    await watched.page.goto(`${history.origin}/app/${address}`)
    return watched
  }
  async function openText(options: OpenOptions = {}) {
    const watched = await open('metadata/rod/edit?view=text', options)
    await watched.page.locator('.cm-content').waitFor()
    return watched
  }
  const message = (page: Page) => page.getByLabel('What did you change?')
  const stored = { method: 'PUT' }
  const rod = '**/api/v2/metadata/rod'

  it('leaves the editor and comes back at once: no other window is said to edit', async () => {
    const { page } = await open('metadata/rod')
    await page.getByRole('link', { name: 'Edit', exact: true }).first().click()
    const text = page.locator('.cm-content, form')
    for (let times = 0; times < 20; times++) {
      await text.first().waitFor()
      await page.goBack()
      await page.goForward()
      const notice = page.getByText('This record is open for editing in another window')
      await text.or(notice).first().waitFor()
      expect(await notice.count()).to.equal(0)
    }
  })

  it('breaks the text while it is stored: it is not called valid', async () => {
    const { page } = await openText({ expected: /^422 .*validate/ })
    await replaceText(page, newest.replace('"Rod B"', '"Rod D"'))
    await whileHeldBack(page, rod, {
      ...stored,
      ask: () => page.keyboard.press('Control+s'),
      async work() {
        await replaceText(page, newest.replace('"Rod B"', '17'))
        await page.getByText('The server has 1 finding:').waitFor()
      },
    })
    await page.getByText('Stored as version 6.').waitFor()
    await page.getByText(/^The text is valid/).waitFor({ state: 'detached' })
    await page.getByText('The server has 1 finding:').waitFor()
    expect(await page.getByText(/^The text is valid/).count()).to.equal(0)
  })

  it('writes in another field while the text is checked or stored: the findings do not take the focus', async () => {
    const { page } = await openText({ expected: /^422 / })
    const work = async () => {
      await message(page).focus()
      await page.keyboard.type('Name')
    }
    await replaceText(page, newest.replace('"Rod B"', '17'))
    await page.getByText('The server has 1 finding:').waitFor()
    await whileHeldBack(page, '**/validate*', { ask: () => page.keyboard.press('Control+Enter'), work })
    await page.getByText('Checking…').waitFor({ state: 'detached' })
    await message(page).and(page.locator(':focus')).waitFor()
    await page.locator('.cm-content').focus()
    // What is said of a change is stored with it by another request.
    await whileHeldBack(page, '**/api/changesets', { ask: () => page.keyboard.press('Control+s'), work })
    await page.getByRole('button', { name: 'Store as version 6' }).waitFor()
    await page.keyboard.type(' it')
    expect(await message(page).inputValue()).to.match(/Name.*it$/)
  })

  it('writes on while the same place conflicts: the choice does not take the focus', async () => {
    const { page } = await openText({ expected: /^412 / })
    await replaceText(page, newest.replace('"Rod B"', '"Mine"'))
    await history.revise(newest.replace('"Rod B"', '"Theirs"'))
    await whileHeldBack(page, rod, {
      ...stored,
      ask: () => page.keyboard.press('Control+s'),
      work: () => message(page).fill('Name'),
    })
    await page.getByRole('heading', { name: 'Version 6 was stored by someone without a login' }).waitFor()
    await message(page).and(page.locator(':focus')).waitFor()
  })

  it('types while the version of somebody else is read: what was typed stays', async () => {
    const { page } = await openText()
    await history.revise(newest.replace('12345678901234567890', '17'))
    const show = page.getByRole('button', { name: 'Show it' })
    await show.waitFor()
    const typed = newest.replace('"Rod B"', '"Mine"')
    await whileHeldBack(page, rod, { ask: () => show.click(), work: () => replaceText(page, typed) })
    await page.getByText('Version 6 was stored by someone without a login while you were editing.').waitFor()
    expect(await page.locator('.cm-content').innerText()).to.contain('"Mine"')
    await page.locator('.cm-content').press('Control+s')
    await page.getByText('Its changes and yours are in version 7.').waitFor()
  })

  it('keeps what was typed as text when a link to this page shows the fields', async () => {
    const { page } = await openText()
    await replaceText(page, newest.replace('"Rod B"', '"Rod T"'))
    await page.getByRole('navigation', { name: 'This record' }).getByRole('link', { name: 'Edit' }).click()
    const name = page.getByRole('form').getByLabel(/^Name/)
    await name.waitFor()
    expect(await name.inputValue()).to.equal('Rod T')
  })

  it('has the fields still when their schema cannot be read anew', async () => {
    const { page } = await open('metadata/rod/edit', { expected: /^503 / })
    const name = page.getByRole('form').getByLabel(/^Name/)
    await name.fill('Rod F')
    const schema = /\/schemas\/rods(?:\/bundle)?\?version=/
    await page.route(schema, route => route.fulfill({ status: 503, body: '' }))
    const refused = page.waitForResponse(response => /rods\?version=/.test(response.url()))
    await page.keyboard.press('Control+s')
    await page.getByText('Stored as version 6.').waitFor()
    await refused
    await page.keyboard.type('!')
    await page.getByText('The text is valid').waitFor()
    expect(await name.inputValue()).to.equal('Rod F!')
  })

  it('sees the fields of a new document before its schema is read: they stay in their place', async () => {
    const { page, check } = await browser.open(history.origin)
    const title = page.getByRole('textbox', { name: 'Title', exact: true })
    let place: { readonly y: number } | null = null
    await whileHeldBack(page, '**/schemas/rods/overview*', {
      ask: () => page.goto(`${history.origin}/app/new?schema=rods`),
      async work() {
        await title.and(page.locator(':disabled')).waitFor()
        place = await title.boundingBox()
        await check()
      },
    })
    await title.and(page.locator(':enabled')).waitFor()
    expect(await title.boundingBox()).to.deep.equal(place)
  })

  it('opens the text while both changes are put together: it has both', async () => {
    const { page } = await open('metadata/rod/edit', { expected: /^412 / })
    const name = page.getByRole('form').getByLabel(/^Name/)
    await name.fill('Mine')
    await history.revise(newest.replace('12345678901234567890', '17'))
    await whileHeldBack(page, '**/assets/text-editor-*', {
      ask: () => page.getByRole('button', { name: 'As text' }).click(),
      async work() {
        await page.getByRole('button', { name: 'Store as version 6' }).click()
        await page.getByText('Its changes and yours are in version 7.').waitFor()
      },
    })
    await page.locator('.cm-content').waitFor()
    expect(await page.locator('.cm-content').innerText())
      .to.contain('"Mine"')
      .and.contain('"serial": 17')
    await page.getByRole('button', { name: 'Store as version 8' }).click()
    await page.getByText('The text is as it is stored').waitFor()
  })

  it('changes another right while the rights are stored: it stays, and is stored next', async () => {
    const { page, check } = await open('metadata/rod/access')
    const add = async (name: string) => {
      await page.getByLabel('Name of the person or group').fill(name)
      await page.getByRole('button', { name: 'Add to the list' }).click()
    }
    const store = page.getByRole('button', { name: 'Store the rights' })
    await add('readers')
    await whileHeldBack(page, rod, {
      ...stored,
      ask: () => store.press('Enter'),
      work: () => add('writers'),
    })
    await page.getByText('Stored.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo 1 change' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'writers' }).waitFor()
    await check()
    await page.getByLabel('Name of the person or group').focus()
    await store.press('Enter')
    await page.getByText('Stored.', { exact: true }).waitFor()
    const { body } = await history.service.http.get('/api/v1/metadata/rod').set('Accept', metadataType)
    expect(JSON.stringify(body)).to.contain('writers')
  })

  it('keeps the focus on a button that was pressed, also when the server refuses', async () => {
    const { page } = await open('metadata/rod/access', { expected: /^503 / })
    await page.route(rod, route =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 503, body: '' }) : route.fallback(),
    )
    const fix = page.getByRole('button', { name: 'Fix it' })
    await whileHeldBack(page, rod, {
      ...stored,
      ask: () => fix.press('Enter'),
      work: () => page.evaluate('new Promise(requestAnimationFrame)'),
    })
    await page.getByRole('alert').first().waitFor()
    await fix.and(page.locator(':focus')).waitFor()
  })

  it('changes the id of a schema while it is registered: its page is that of the schema', async () => {
    const { page } = await open('schemas/new')
    await page.locator('.cm-content').fill('{ "type": "object" }')
    const id = page.getByLabel('Name in addresses (id)')
    await id.fill('bolts')
    await whileHeldBack(page, '**/api/v2/schemas', {
      method: 'POST',
      ask: () => page.getByRole('button', { name: 'Register the schema' }).click(),
      work: () => id.fill('bolts-2'),
    })
    await page.waitForURL('**/app/schemas/bolts')
  })

  const chooseFiles = (page: Page, files: Readonly<Record<string, string>>) =>
    page
      .locator('input[type=file]')
      .first()
      .setInputFiles(
        Object.entries(files).map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) })),
      )
  const fileRow = (page: Page, name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('checkbox', { name: `Store ${name}`, exact: true }) })

  it('chooses a file again before it was read: the later one counts', async () => {
    const { page } = await open('upload')
    await page.getByRole('button', { name: 'Choose files' }).waitFor()
    await page.evaluate(`{
      const read = Blob.prototype.arrayBuffer
      globalThis.reads = 0
      const released = new Promise(resolve => (globalThis.release = resolve))
      Blob.prototype.arrayBuffer = async function () {
        if (this.size === 7) await released
        reads++
        return await read.call(this)
      }
    }`)
    await chooseFiles(page, { 'bolt.json': '{"n":1}' })
    await chooseFiles(page, { 'bolt.json': '{ "name": "Bolt" }' })
    await waitUntil('the second', async () => (await page.evaluate<number>('reads')) >= 2)
    await page.evaluate('release()')
    await page.getByText('1 file: none with findings, none left out.').waitFor()
    await waitUntil('the first', async () => (await page.evaluate<number>('reads')) >= 4)
    await page.getByText('1 file: none with findings, none left out.').waitFor()
  })

  it('says for all files what they describe before the first check begins: that is checked', async () => {
    const { page } = await open('upload', { expected: /^409 .*dryRun/ })
    await page.getByRole('button', { name: 'Choose files' }).waitFor()
    await page.evaluate(`new MutationObserver(async (_, observer) => {
      if (!document.querySelector('table.upload th[scope=row]')) return
      observer.disconnect()
      const field = document.querySelector('details input[type=text]')
      field.value = 'https://example.org/'
      field.dispatchEvent(new Event('input', { bubbles: true }))
      for (let turn = 0; turn < 5; turn++) await undefined
      field.parentElement.querySelector('button').click()
    }).observe(document.body, { childList: true, subtree: true })`)
    await chooseFiles(page, { 'rod.json': '{ "name": "Rod" }' })
    await fileRow(page, 'rod.json').getByText('https://example.org/rod').waitFor()
    await page.getByText('1 file: 1 with findings, none left out.').waitFor()
  })

  it('goes on while files are stored: the focus stays', async () => {
    const { page } = await open('upload')
    await page.getByRole('button', { name: 'Choose files' }).waitFor()
    await chooseFiles(page, { 'one.json': '{ "name": "One" }', 'two.json': '{ "name": "Two" }' })
    const two = page.getByRole('checkbox', { name: 'Store two.json' })
    await two.uncheck()
    await page.getByText('2 files: none with findings, 1 left out.').waitFor()
    await whileHeldBack(page, '**/api/changesets', {
      ask: () => page.getByRole('button', { name: 'Store 1 document' }).click(),
      work: () => two.focus(),
    })
    await page.getByText(/^1 document was stored/).waitFor()
    await two.and(page.locator(':focus')).waitFor()
  })

  it('has its message still when a version is restored after somebody else has stored one', async () => {
    const { page } = await open('metadata/rod/restore?version=2', { expected: /^412 / })
    await message(page).fill('The older one is right')
    await history.revise(newest.replace('Rod B', 'Rod X'))
    await page.getByRole('button', { name: 'Store version 2 as version 6' }).click()
    await page.getByRole('alert').getByRole('button').click()
    await page.getByRole('button', { name: 'Store version 2 as version 7' }).waitFor()
    expect(await message(page).inputValue()).to.equal('The older one is right')
  })
})
