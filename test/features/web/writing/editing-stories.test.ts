import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  rodTexts,
  type ServiceWithHistory,
  serviceWithHistory,
} from '../../../support/browser/example-history.js'
import { describeInBrowser, type OpenOptions } from '../../../support/browser/open-browser.js'
import { ways } from '../../../support/browser/ways-of-input.js'
import {
  metadataRecordV1,
  noteXml,
  noteXsdText,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

const newest = rodTexts[4] ?? ''

describeInBrowser('a person who edits a document in the browser', browser => {
  let history: ServiceWithHistory
  beforeEach(async () => {
    history = await serviceWithHistory()
  })
  afterEach(removeRepositories)

  const stored = async () => (await history.service.http.get('/api/v2/metadata/rod').buffer(true)).text

  async function openEditor(options: OpenOptions = {}) {
    const watched = await browser.open(history.origin, options)
    await watched.page.goto(`${history.origin}/app/metadata/rod/edit?view=text`)
    await watched.page.locator('.cm-content').waitFor()
    return watched
  }

  it('9. writes JSON as text: a wrong value is marked at its place', async () => {
    const { page, check } = await openEditor({ expected: /^422 .*validate/ })

    await replaceInText(page, '"Rod B"', '17')

    await page.getByText('The server has 1 finding:').waitFor()
    const findings = page.getByRole('region', { name: 'What the server found' })
    expect(await findings.innerText())
      .to.contain('Line 2')
      .and.contain('/name: “17” is not a text. Write it in double quotes. must be string')
    expect(await page.locator('.cm-lintRange-error').allInnerTexts()).to.deep.equal(['"name"'])
    await check()
    await findings.getByRole('button', { name: 'Line 2' }).click()
    expect(await page.locator('.cm-content:focus').count()).to.equal(1)
    await page.keyboard.press('Control+End')
    // It selects the place of the finding.
    await page.keyboard.press('F8')
    await page.keyboard.insertText('"name"')
    await page.getByText('The server has 1 finding:').waitFor()
    expect(await page.locator('.cm-content').innerText()).to.contain('"name": 17')
    await replaceInText(page, '17', '"Rod C"')
    await page.getByText('The text is valid against rods, version 3.').waitFor()
    expect(await page.locator('.cm-lintRange-error').count()).to.equal(0)
    await check()
  })

  it('13. checks a document without storing it, and the repository has no new commit', async () => {
    const { page, check } = await openEditor({ expected: /^422 .*validate/ })
    const head = await history.service.head()
    await replaceInText(page, '"name"', '"nam"')

    await page.keyboard.press('Control+Enter')

    await page.getByText("must have required property 'name'").first().waitFor()
    await page.locator(':focus', { hasText: /^The server has 1 finding:$/ }).waitFor()
    await check()
    expect(await history.service.head()).to.equal(head)
  })

  it('8. changes one value of a text with odd spacing and long numbers: the other bytes stay', async () => {
    const odd = '{"name" :  "x",\r\n\t"serial":12345678901234567890.10 ,"notes":[ 1.0,1e2 ]\r\n}'
    await history.revise(odd)
    const { page, check } = await openEditor()

    await replaceInText(page, '"x"', '"y"')
    await page.keyboard.press('Control+s')

    await page.getByText('Stored as version 7.').waitFor()
    await check()
    expect(await stored()).to.equal(odd.replace('"x"', '"y"'))
  })

  it('sees before storing what will change, and after it that nothing is left to store', async () => {
    const { page, check } = await openEditor()
    await replaceInText(page, '"Rod B"', '"Rod D"')

    await page.getByRole('button', { name: 'See what changes from version 5' }).click()
    await page.getByText('1 change in the text', { exact: true }).waitFor()
    await check()
    await page.getByRole('button', { name: 'Store as version 6' }).click()
    await page.getByText('Stored as version 6.').waitFor()
    await page.getByRole('button', { name: 'Store as version 7' }).click()

    await page.getByText('The text is as it is stored').waitFor()
    expect(await stored()).to.equal(newest.replace('Rod B', 'Rod D'))
    await check()
    await replaceInText(page, '"Rod D"', '"Rod E"')
    await page.getByText('The text is as it is stored').waitFor({ state: 'detached' })
  })

  it('stores nothing that is not valid: the findings have the focus, and the text stays', async () => {
    const { page, check } = await openEditor({ expected: /^422 / })
    await replaceInText(page, '"Rod B"', 'null')

    await page.keyboard.press('Control+s')

    await page.getByText('The server has 1 finding:').waitFor()
    await page.locator(':focus', { hasText: /^The server has 1 finding:$/ }).waitFor()
    expect(await page.locator('.cm-content').innerText()).to.contain('null')
    await check()
    expect(await stored()).to.equal(newest)
  })

  for (const { name: way, options, activate } of ways) {
    it(`19. is told at once when somebody stores; stores, and both changes are in the next version, ${way}`, async () => {
      const { page, check } = await openEditor({ ...options, expected: /^412 / })
      await replaceInText(page, '"Rod B"', '"Mine"')

      // The neighbouring line.
      await history.revise(newest.replace('12345678901234567890', '17'))
      await page
        .getByText('Version 6 was stored by someone without a login while you were editing.')
        .waitFor()
      const said = page.getByLabel('What did you change?')
      await said.fill('Name it after me')
      await activate(page, page.getByRole('button', { name: 'Store as version 6' }))

      await page
        .getByText('Stored as version 7. Version 6 by someone without a login changed Serial.')
        .waitFor()
      await page.getByText('Its changes and yours are in version 7.').waitFor()
      expect(await stored()).to.equal(
        newest.replace('"Rod B"', '"Mine"').replace('12345678901234567890', '17'),
      )
      expect(await page.locator('.cm-content').innerText()).to.contain('"serial": 17')
      await check()
      expect(await said.inputValue()).to.equal('')
      await said.fill('Nothing')
      await said.press('Enter')
      await page.getByText('The text is as it is stored').waitFor()
      await page.goto(`${history.origin}/app/metadata/rod/versions`)
      await page.getByRole('row').filter({ hasText: 'newest' }).getByText('Name it after me').waitFor()
    })
  }

  it('19. 412: chooses where both changed the same member, beside the text of before; a line beside it is no conflict', async () => {
    const { page, check } = await openEditor({ expected: /^412 / })
    await replaceInText(page, '"Rod B"', '"Mine"')
    const theirs = newest.replace('"Rod B"', '"Theirs"').replace('12345678901234567890', '17')
    await history.revise(theirs)

    await page.getByRole('button', { name: 'Store as version 6' }).click()
    const heading = page.getByRole('heading', { name: 'Version 6 was stored by someone without a login' })
    await heading.and(page.locator(':focus')).waitFor()
    const choice = page.getByRole('group', { name: 'Name' })
    await choice.getByText('Version 5, with which both began').waitFor()
    expect(await choice.locator('pre').allInnerTexts()).to.deep.equal(['"Rod B"', '"Mine"', '"Theirs"'])
    await page.getByRole('button', { name: 'Put together' }).click()
    await page.getByText('Choose one of both texts at every place.').waitFor()
    await check()
    await page.getByRole('radio', { name: 'Yours' }).check()
    await page.getByRole('button', { name: 'Put together' }).click()

    await page.getByText('Put together, not stored yet: yours at 1 of the places').waitFor()
    expect(await stored()).to.equal(theirs)
    await page.getByRole('button', { name: 'Store as version 7' }).click()
    await page.getByText('Stored as version 7.').waitFor()
    expect(await stored()).to.equal(theirs.replace('"Theirs"', '"Mine"'))
    await check()
  })

  it('19. puts lines of XML together, and chooses where both changed the same lines', async () => {
    const xml = noteXml.replace('<text>', '\n  <text>').replace('</text>', '</text>\n')
    await storeNote(history.service, xml)
    const revise = (text: string) =>
      history.service.http
        .put('/api/v1/metadata/note')
        .set('If-Match', '*')
        .attach('document', Buffer.from(text), 'document')
        .expect(200)
    const { page, check } = await browser.open(history.origin, { expected: /^412 / })
    await page.goto(`${history.origin}/app/metadata/note/edit`)
    await page.locator('.cm-content').waitFor()
    await replaceInText(page, 'hello', 'mine')
    await revise(xml.replace('hello', 'theirs'))

    await page.getByRole('button', { name: 'Store as version 2' }).click()
    await page.getByRole('radio', { name: 'Theirs' }).check()
    await page.getByRole('button', { name: 'Put together' }).click()

    await page.getByText('theirs at 1. Look at it').waitFor()
    expect(await page.locator('.cm-content').innerText()).to.contain('theirs')
    await check()
  })

  for (const { name: way, options, activate } of ways) {
    it(`20. loses the network while writing, closes the page, opens it again: the text is offered, once, and stored, ${way}`, async () => {
      const { page, check, faults } = await openEditor(options)
      await page.context().setOffline(true)
      await replaceInText(page, '"Rod B"', '"Offline"')
      await page.getByText(/^The server cannot be reached\./).waitFor()
      await draftsIn(page, 1)
      await page.context().setOffline(false)

      await page.reload()
      await page.getByText('This browser has kept a text that you have not stored').waitFor()
      await check()
      await activate(page, page.getByRole('button', { name: 'Continue with it' }))
      await page.locator('.cm-content').getByText('"Offline"').waitFor()
      await activate(page, page.getByRole('button', { name: 'Store as version 6' }))
      await page.getByText('Stored as version 6.').waitFor()
      await draftsIn(page, 0)
      await page.reload()

      await page.locator('.cm-content').getByText('"Offline"').waitFor()
      expect(await page.getByText('This browser has kept').count()).to.equal(0)
      expect(await stored()).to.equal(newest.replace('"Rod B"', '"Offline"'))
      expect(faults).to.deep.equal([])
    })
  }

  it('19. tries again what could not be loaded: the text stays, and both changes are stored', async () => {
    const { page, check } = await openEditor({ expected: /^412 / })
    await replaceInText(page, '"Rod B"', '"Mine"')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'As form' }).click()
    const again = page.locator('main').getByRole('button', { name: 'Try again' }).first()
    await again.waitFor()
    await page
      .locator('main .notice')
      .getByText(/^The server cannot be reached\./)
      .first()
      .waitFor()
    await check()
    await page.context().setOffline(false)
    await again.click()
    const field = page.getByRole('textbox', { name: 'Name' })
    await field.waitFor()
    expect(await field.inputValue()).to.equal('Mine')
    await history.revise(newest.replace('"second"', '"theirs"'))
    await page.route('**/merge-documents-*.js', route => route.abort(), { times: 1 })

    await page.getByRole('button', { name: 'Store as version 6' }).click()
    const bar = page.getByRole('region', { name: 'Store and check' })
    await bar.getByText('A part of this page could not be loaded.').waitFor()
    await check()
    await bar.getByRole('button', { name: 'Try again' }).click()

    await page.getByText('Its changes and yours are in version 7.').waitFor()
    expect(await stored()).to.equal(newest.replace('"Rod B"', '"Mine"').replace('"second"', '"theirs"'))
    await check()
  })

  it('20. is offered a draft of an older version, and stores it together with what was stored since', async () => {
    const { page, check } = await openEditor({ expected: /^412 / })
    await replaceInText(page, '"Rod B"', '"Mine"')
    await draftsIn(page, 1)
    await page.goto(`${history.origin}/dashboard`)
    await history.revise(newest.replace('"second"', '"theirs"'))
    await page.goto(`${history.origin}/app/metadata/rod/edit?view=text`)

    await page.getByText('It was made from version 5.').waitFor()
    await page.getByRole('button', { name: 'Continue with it' }).click()
    await page.getByRole('button', { name: 'Store as version 6' }).click()

    await page.getByText('Stored as version 7.').waitFor()
    await check()
    expect(await stored()).to.equal(newest.replace('"Rod B"', '"Mine"').replace('"second"', '"theirs"'))
  })

  it('finds the drafts of this browser in a list, opens one, and throws one away', async () => {
    const { page, check } = await openEditor()
    await replaceInText(page, '"Rod B"', '"Mine"')
    await draftsIn(page, 1)

    await page.getByRole('link', { name: 'All drafts in this browser' }).click()
    await page.getByRole('heading', { level: 1, name: 'Drafts in this browser' }).waitFor()
    await check()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save it as a file' }).click()
    expect(await readFile(await (await download).path(), 'utf8')).to.contain('"Mine"')
    await page.getByRole('link', { name: 'Steel rod' }).click()
    await page.getByText('This browser has kept a text').waitFor()
    await page.goBack()
    page.once('dialog', dialog => void dialog.dismiss())
    await page.getByRole('button', { name: 'Throw it away: Steel rod' }).click()
    await draftsIn(page, 1)
    page.once('dialog', dialog => void dialog.accept())
    await page.getByRole('button', { name: 'Throw it away: Steel rod' }).click()

    await page.getByText('There are no drafts.').waitFor()
    await draftsIn(page, 0)
    await check()
  })

  it('10. edits XML of an XSD, and breaks it: the finding of the server stands at its line', async () => {
    const { service, origin } = history
    await storeNote(service, noteXml.replace('<text>', '\n  <text>'))
    const { page, check } = await browser.open(origin, { expected: /^422 .*validate/ })
    await page.goto(`${origin}/app/metadata/note/edit`)
    await page.locator('.cm-content').waitFor()

    await replaceInText(page, 'text>hello</text', 'word>hello</word')

    await page.getByText('The server has 1 finding:').waitFor()
    expect(await page.locator('.cm-lintRange-error').allInnerTexts()).to.deep.equal([
      '<word>hello</word></note>',
    ])
    await check()
    await replaceInText(page, 'word>hello</word', 'text>hello again</text')
    await page.getByText('The text is valid against notes, version 1.').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Stored as version 2.').waitFor()
    await check()
    // Not XML: the place and the reason.
    await replaceInText(page, '</note>', '</nota>')
    await page.getByText('The server has 1 finding:').waitFor()
    await page.getByRole('button', { name: 'Line 2' }).waitFor()
    expect(await page.locator('.cm-content').innerText()).to.contain('</nota>')
  })

  it('is told at once if somebody deletes the record', async () => {
    const { page, check } = await openEditor()

    // The first deletion revokes the record, the second one removes it.
    for (let count = 0; count < 2; count++)
      await history.service.http.delete('/api/v1/metadata/rod').set('If-Match', '*').expect(204)

    await page.getByText('This record was deleted while you were editing.').waitFor()
    await check()
  })

  it('two windows: edits in one only; the other one says so, and shows the text', async () => {
    const { page, check } = await openEditor()
    const second = await page.context().newPage()

    await second.goto(`${history.origin}/app/metadata/rod/edit?view=text`)

    await second.getByText('This record is open for editing in another window of this browser.').waitFor()
    await second.locator('.cm-content').waitFor()
    expect(await second.getByRole('button', { name: /^Store/ }).count()).to.equal(0)
    await check()
  })

  it('storage full: is told so, and can save the text', async () => {
    const { page, check } = await openEditor()
    await page.evaluate(
      `Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }`,
    )

    await replaceInText(page, '"Rod B"', '"Kept nowhere"')

    await page.getByText('This browser cannot keep your text').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save it as a file' }).click()
    expect((await download).suggestedFilename()).to.equal('draft.txt')
    await check()
  })
})

/** Stores an XML document with its schema. */
async function storeNote(service: TestService, text: string): Promise<void> {
  await service.postSchema({ schemaId: 'notes', type: 'XML' }, noteXsdText).expect(201)
  const record = metadataRecordV1('https://example.org/note', 'notes', { id: 'note' })
  await service.postMetadata(record, text).expect(201)
}

/** Waits until the browser keeps so many drafts. */
async function draftsIn(page: Page, count: number): Promise<void> {
  await waitUntil('the draft', async () => (await page.evaluate<number>('localStorage.length')) === count)
}

/** Replaces the first such text in the editor as a person does: chooses it, and types. */
async function replaceInText(page: Page, found: string, typed: string): Promise<void> {
  const content = page.locator('.cm-content')
  await content.focus()
  await page.keyboard.press('Control+Home')
  const before = String(await content.innerText()).split(found)[0] ?? ''
  for (let index = 0; index < before.length; index++) await page.keyboard.press('ArrowRight')
  for (let index = 0; index < found.length; index++) await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.insertText(typed)
}
