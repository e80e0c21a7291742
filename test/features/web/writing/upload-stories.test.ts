import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { dropFiles } from '../../../support/browser/drop-files.js'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser, type OpenOptions, startMeasuring } from '../../../support/browser/open-browser.js'
import { ways } from '../../../support/browser/ways-of-input.js'
import { noteXml, noteXsdText } from '../../../support/http/test-service.js'
import { isLongForm } from '../../../support/program/long-form.js'
import { temporaryFolder } from '../../../support/program/run-program.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

type Files = Readonly<Record<string, string>>

/** 30 documents of `rods` and 20 of `notes`, of which three are wrong. */
function fiftyFiles(): Files {
  const rods = Array.from({ length: 30 }, (_, at) => [
    `rods/rod-${at + 1}.json`,
    `{ "name": "Rod ${at + 1}" }`,
  ])
  const notes = Array.from({ length: 20 }, (_, at) => [
    `notes/note-${at + 1}.xml`,
    noteXml.replace('hello', `note ${at + 1}`),
  ])
  return {
    ...Object.fromEntries([...rods, ...notes]),
    'rods/rod-7.json': '{ "nam": "Rod 7" }',
    'rods/rod-8.json': '{ "name": "Rod 8", }',
    'notes/note-3.xml': noteXml.replaceAll('text>', 'word>'),
  }
}

describeInBrowser('a person who uploads documents in the browser', browser => {
  let history: ServiceWithHistory
  beforeEach(async () => {
    history = await serviceWithHistory()
    await history.service
      .postSchema({ schemaId: 'notes', label: 'Short notes', type: 'XML' }, noteXsdText)
      .expect(201)
  })
  afterEach(removeRepositories)

  const git = (...args: string[]) => history.service.repository.git(...args)

  async function openUpload(options: OpenOptions = {}) {
    const watched = await browser.open(history.origin, { expected: /^422 .*dryRun/, ...options })
    await watched.page.goto(`${history.origin}/app/upload`)
    await watched.page.getByRole('button', { name: 'Choose files' }).waitFor()
    return watched
  }

  /** Chooses files as the dialog of the browser gives them. */
  async function chooseFiles(page: Page, files: Files) {
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(
        Object.entries(files).map(([path, text]) => ({
          name: path.split('/').at(-1) ?? path,
          mimeType: '',
          buffer: Buffer.from(text),
        })),
      )
  }

  /** A folder with these files, and one that browsers do not show. */
  async function folderOf(files: Files): Promise<string> {
    const folder = await temporaryFolder()
    for (const [path, text] of Object.entries({ ...files, '.hidden/x.json': '{}' })) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    return folder
  }

  const row = (page: Page, path: string) =>
    page.getByRole('row').filter({ has: page.getByRole('checkbox', { name: `Store ${path}`, exact: true }) })

  for (const { name: way, options, activate } of ways) {
    it(`12. chooses 50 files of two schemas, three of them wrong: sees which and why, puts one right, leaves out two, and stores 48 in one commit, ${way}`, async () => {
      const { page, check } = await openUpload(options)
      const before = await history.service.head()
      await chooseFiles(page, fiftyFiles())

      await page.getByText('50 files: 3 with findings, none left out.').waitFor()
      expect(await page.evaluate<number>(checksAtOnce)).to.be.within(1, 4)
      expect(await row(page, 'rod-7.json').innerText())
        .to.contain('“name” is missing.')
        .and.contain("must have required property 'name'")
      expect(await row(page, 'rod-8.json').innerText()).to.match(/JSON/)
      expect(await row(page, 'note-3.xml').innerText()).to.contain('word')
      expect(await row(page, 'note-4.xml').innerText())
        .to.contain('Short notes')
        .and.contain('Valid')
      await page.getByLabel('Show only files with findings').press('Space')
      expect(await page.getByRole('rowheader').count()).to.equal(3)
      await activate(page, page.getByRole('button', { name: 'Store 50 documents' }))
      await page.getByText('3 files that would be stored have findings.').waitFor()
      const open = page.getByRole('button', { name: 'Put right rod-7.json' })
      await open.and(page.locator(':focus')).waitFor()
      await check()
      await page.keyboard.press('Enter')
      const panel = page.getByRole('region', { name: 'The file rod-7.json' })
      await panel.getByText('The server has 1 finding:').waitFor()
      await panel.locator('.cm-content').focus()
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText('{ "name": "Rod 7" }')
      await page.getByText('50 files: 2 with findings, none left out.').waitFor()
      await check()
      await activate(page, page.getByRole('button', { name: 'Leave out files with findings' }))
      await page.getByText('50 files: 2 with findings, 2 left out.').waitFor()
      await activate(page, page.getByRole('button', { name: 'Store 48 documents' }))

      await page.getByText(/^48 documents were stored in one commit: [0-9a-f]{10}$/).waitFor()
      await page.getByText('2 files: 2 with findings, 2 left out.').waitFor()
      await check()
      expect(await git('rev-list', '--count', `${before}..HEAD`)).to.equal('1')
      expect(await git('log', '-1', '--format=%s')).to.equal('Add 48 documents')
      const changed = (await git('diff', '--name-only', before, 'HEAD')).split('\n')
      expect(changed.filter(path => path.endsWith('record.json'))).to.have.length(48)
      const { body } = await history.service.http.get('/api/v2/metadata?size=100&resourceId=rod-7')
      const { text } = await history.service.http.get(`/api/v2/metadata/${body[0].id}`).buffer(true)
      expect(text).to.equal('{ "name": "Rod 7" }')
    })
  }

  it('12. chooses a folder, gives all files one beginning and schema, and leaves out what is no document', async () => {
    const { page, check } = await openUpload()
    const folder = await folderOf({
      'a/one.json': '{ "name": "One" }',
      'b/one.json': '{ "name": "Two" }',
      'readme.txt': 'Read me.',
    })
    await page.locator('input[type=file]').last().setInputFiles(folder)
    await page.getByText('3 files: 1 with findings, 1 left out.').waitFor()
    await page.getByText('The file is neither JSON nor XML.').waitFor()

    await page.getByText('For all files', { exact: true }).click()
    await page.getByLabel('Schema for all files of its language').selectOption('rods')
    await page.getByRole('button', { name: 'Use for all' }).first().click()
    await page.getByLabel('What the files describe begins with').fill('https://example.org/')
    await page.getByRole('button', { name: 'Use for all' }).last().click()
    await page.getByText('Show only files with findings').click()
    await page.getByRole('rowheader').first().waitFor()
    expect(await page.getByRole('rowheader').count()).to.equal(1)
    await check()
    await page.getByRole('button', { name: 'Store 2 documents' }).click()

    await page.getByText('2 documents were stored in one commit').waitFor()
    const { body } = await history.service.http.get('/api/v2/metadata?size=100')
    const resources = body.flatMap((record: { relatedIdentifiers: { value: string }[] }) =>
      record.relatedIdentifiers.map(({ value }) => value),
    )
    expect(resources.filter((value: string) => /\/[ab]\/one$/.test(value))).to.have.length(2)
    expect(resources.find((value: string) => value.endsWith('/a/one'))).to.match(/^https:\/\/example\.org\//)
  })

  it('12. is offered one schema for all files when several have none', async () => {
    await history.service.postSchema({ schemaId: 'others', label: 'Others' }, '{"type":"object"}').expect(201)
    const { page, check } = await openUpload()
    await chooseFiles(page, { 'one.json': '{ "name": "One" }', 'two.json': '{ "name": "Two" }' })
    await page.getByRole('button', { name: 'Put right one.json' }).click()
    await page.getByRole('status').filter({ hasText: 'There is 1 finding:' }).waitFor()
    await page.getByRole('button', { name: 'Close one.json' }).click()
    await page.getByLabel('Schema for all files of its language').selectOption('rods')
    await page.getByRole('button', { name: 'Use for all' }).first().click()

    await page.getByText('2 files: none with findings, none left out.').waitFor()
    await check()
  })

  it('12. chooses a schema in the row of a file, and a file again that is left out and opened', async () => {
    await history.service.postSchema({ schemaId: 'parts', label: 'Parts' }, '{"type":"object"}').expect(201)
    const { page, check } = await openUpload()
    await chooseFiles(page, { 'odd.json': '{ "nam": "Odd rod" }' })
    await row(page, 'odd.json').getByLabel('Schema of odd.json').selectOption('rods')
    await row(page, 'odd.json').getByText("must have required property 'name'").waitFor()
    // Another schema can still be chosen.
    expect(await row(page, 'odd.json').getByLabel('Schema of odd.json').inputValue()).to.equal('rods')
    await check()
    await page.getByRole('button', { name: 'Leave out files with findings' }).click()
    await page.getByRole('button', { name: 'Put right odd.json' }).click()
    const text = page.getByRole('region', { name: 'The file odd.json' }).locator('.cm-content')
    await text.getByText('"nam"').waitFor()

    await chooseFiles(page, { 'odd.json': '{ "name": "Good rod" }' })

    await text.getByText('"Good rod"').waitFor()
    await page.getByText('1 file: none with findings, none left out.').waitFor()
    await row(page, 'odd.json').getByText('Valid', { exact: true }).waitFor()
    await page.getByLabel('Store odd.json').uncheck()
    await row(page, 'odd.json').getByText('Valid, but left out').waitFor()
    await check()
  })

  it('12. drops a folder, and sees which describe the same and which are there already', async () => {
    const { page, check } = await openUpload({ expected: /^409 / })
    const folder = await folderOf({ 'rods/x.json': '{ "name": "x" }', 'rods/x.txt': '{ "name": "x" }' })
    await dropFiles(page, 'Documents to upload', [join(folder, 'rods')])
    await page.getByText('2 files: 1 with findings, none left out.').waitFor()
    await page.getByText('It describes the same as rods/x.json, by the same schema.').waitFor()

    await page.getByRole('button', { name: 'Put right rods/x.txt' }).click()
    const panel = page.getByRole('region', { name: 'The file rods/x.txt' })
    await panel.getByLabel('What it describes').fill('https://example.org/rod')

    await row(page, 'rods/x.txt')
      .getByText('belongs to')
      .or(row(page, 'rods/x.txt').getByText('already has a document'))
      .waitFor()
    // 409: the record that describes the same.
    const rival = row(page, 'rods/x.txt').getByRole('link', {
      name: 'Edit that one in another window: Steel rod',
    })
    expect(await rival.getAttribute('href')).to.equal(`${history.origin}/app/metadata/rod/edit`)
    await check()
  })

  const many = isLongForm ? 1000 : 400
  it(`12. drops ${many} files: few rows are in the page, it scrolls without a pause of 200 ms, and a wrong file is found`, async () => {
    const { page, check } = await openUpload()
    const nameAt = (at: number) => `many/rod-${String(at).padStart(4, '0')}.json`
    const names = Array.from({ length: many }, (_, at) => nameAt(at))
    const wrong = nameAt(277)
    const folder = await folderOf(
      Object.fromEntries(
        names.map(name => [name, name === wrong ? '{ "nam": "x" }' : `{ "name": "${name}" }`]),
      ),
    )
    await dropFiles(page, 'Documents to upload', [join(folder, 'many')])
    await page.getByText(`${many} files: 1 with findings, none left out.`).waitFor({ timeout: 100_000 })
    const rows = page.locator('tbody tr')
    expect(await rows.count()).to.be.within(10, 120)

    // A machine with other work may take a frame from one of the rounds, but not from all of them.
    const longest: number[] = []
    for (let round = 0; round < 3 && Math.min(...longest) >= 200; round++) {
      await page.evaluate('scrollTo(0, 0)')
      await row(page, names[0] ?? '').waitFor()
      await page.evaluate(startMeasuring)
      for (let step = 0; step < 20; step++) {
        await page.mouse.wheel(0, 600)
        await page.evaluate('new Promise(requestAnimationFrame)')
        expect(await rows.count()).to.be.at.most(160)
      }
      longest.push(await page.evaluate<number>('longestFrame'))
    }
    expect(Math.min(...longest), `longest frames of the rounds: ${longest.join(', ')} ms`).to.be.below(200)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    const last = row(page, names.at(-1) ?? '')
    await last.waitFor()
    expect(await last.getAttribute('aria-rowindex')).to.equal(`${many + 1}`)
    await check()

    // The button leads to a file that is not in the page.
    await page.evaluate('scrollTo(0, 0)')
    await row(page, names[0] ?? '').waitFor()
    await page.getByRole('button', { name: `Store ${many} documents` }).click()
    const open = page.getByRole('button', { name: `Put right ${wrong}` })
    await open.and(page.locator(':focus')).waitFor()
    // Tab goes on through rows that are drawn as the focus comes near them.
    for (let at = 0; at < 60; at++) await page.keyboard.press('Tab')
    await page
      .getByRole('button', { name: `Open ${nameAt(307)}` })
      .and(page.locator(':focus'))
      .waitFor()
    await page.getByLabel('Show only files with findings').check()
    await row(page, wrong).waitFor()
    expect(await page.getByRole('rowheader').count()).to.equal(1)
    await check()
  })

  it('asks first whether the files are there, when the answer to storing was lost', async () => {
    const { page } = await openUpload()
    await chooseFiles(page, { 'a.json': '{ "name": "A" }', 'b.json': '{ "name": "B" }' })
    await page.getByText('2 files: none with findings, none left out.').waitFor()
    const before = await history.service.head()
    let posts = 0
    await page.route('**/api/changesets', async route => {
      posts++
      await route.fetch()
      await route.abort('connectionreset')
    })

    await page.getByRole('button', { name: 'Store 2 documents' }).click()
    await page.getByText('The connection was lost while the files were being stored.').waitFor()
    await page.getByRole('button', { name: 'Store 2 documents' }).click()

    await page.getByText('2 documents were stored in one commit.').waitFor()
    expect(posts).to.equal(1)
    expect(await git('rev-list', '--count', `${before}..HEAD`)).to.equal('1')
  })

  it('503: files that a busy server has stored all the same are found, and not sent again', async () => {
    const { page } = await openUpload({ expected: /^503 / })
    await chooseFiles(page, { 'busy-a.json': '{ "name": "A" }', 'busy-b.json': '{ "name": "B" }' })
    await page.getByText('2 files: none with findings, none left out.').waitFor()
    const before = await history.service.head()
    let posts = 0
    await page.route('**/api/changesets', async route => {
      posts++
      await route.fetch()
      await route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, body: '' })
    })

    await page.getByRole('button', { name: 'Store 2 documents' }).click()

    await page.getByText('2 documents were stored in one commit.').waitFor()
    expect(posts).to.equal(1)
    expect(await git('rev-list', '--count', `${before}..HEAD`)).to.equal('1')
  })

  it('not UTF-8: is told the line of a byte that is no text, and the file stays as it is', async () => {
    const { page, check } = await openUpload()
    const buffer = Buffer.from('{\n  "name": "R\xf6hre"\n}', 'latin1')
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([{ name: 'latin.json', mimeType: '', buffer }])
    await page.getByRole('button', { name: /(?:Open|Put right) latin.json/ }).click()

    await page
      .getByText('The document is not in UTF-8: a byte of line 2 is not, after “"name": "R”.')
      .waitFor()
    await check()
  })

  it('503: has checked again what could not be checked; what is changed meanwhile is not stored by itself', async () => {
    const { page, check } = await openUpload({ expected: /^503 / })
    const busy = { status: 503, headers: { 'Retry-After': '600' }, body: '' }
    await page.route('**/api/v2/metadata?dryRun=true', route => route.fulfill(busy), { times: 1 })
    await chooseFiles(page, { 'a.json': '{ "name": "A" }' })
    await row(page, 'a.json').getByText('Could not be checked').waitFor()
    await page.getByText('The server is busy.').waitFor()
    await check()

    await page.getByRole('button', { name: 'Try again now' }).click()

    await row(page, 'a.json').getByText('Valid').waitFor()
    await check()

    await page.route('**/api/changesets', route => route.fulfill(busy), { times: 1 })
    await page.getByRole('button', { name: 'Store 1 document' }).click()
    await page.getByRole('timer').waitFor()
    await row(page, 'a.json').getByRole('checkbox').uncheck()
    await page.getByRole('timer').waitFor({ state: 'detached' })
    await page.getByText('The server is busy.').waitFor()
  })

  it('guesses the schema by the namespace and by $schema among many', async () => {
    const { service } = history
    for (const name of ['b', 'c', 'd', 'e', 'f', 'g']) {
      const schema = {
        $id: `https://schemas.example.org/${name}/v1`,
        type: 'object',
        title: `Schema ${name}`,
      }
      await service.postSchema({ schemaId: `many-${name}` }, JSON.stringify(schema)).expect(201)
    }
    const { page } = await openUpload()
    await chooseFiles(page, {
      'by-id.json': '{ "$schema": "https://schemas.example.org/e/v1#" }',
      'by-address.json': `{ "$schema": "${history.origin}/api/v2/schemas/many-c?version=1" }`,
      'unknown.json': '{ "name": "x" }',
      'note.xml': noteXml,
    })

    await row(page, 'by-id.json').getByText('many-e').waitFor()
    await row(page, 'by-address.json').getByText('many-c').waitFor()
    await row(page, 'note.xml').getByText('Short notes').waitFor()
    await row(page, 'unknown.json').getByText('Choose the schema of this file.').waitFor()
  })
})

describeInBrowser('a person who uploads documents whose namespace two schemas have', browser => {
  after(removeRepositories)

  it('is asked which one it is, and not again for the next upload', async () => {
    const { service, origin } = await serviceWithHistory()
    for (const [schemaId, label] of [
      ['notes', 'Old notes'],
      ['notes-2', 'New notes'],
    ] as const)
      await service.postSchema({ schemaId, label, type: 'XML' }, noteXsdText).expect(201)
    const { page, check } = await browser.open(origin)
    const choose = async (name: string) => {
      await page.goto(`${origin}/app/upload`)
      const file = { name, mimeType: '', buffer: Buffer.from(noteXml) }
      await page.locator('input[type=file]').first().setInputFiles(file)
    }
    await choose('note.xml')
    await page.getByText('Several schemas have the name that this file gives.').waitFor()
    await check()
    await page.getByLabel('Schema of note.xml').selectOption('notes-2')
    await page.getByText('1 file: none with findings, none left out.').waitFor()
    await check()
    await page.getByRole('button', { name: 'Store 1 document' }).click()
    await page.getByText('1 document was stored in one commit').waitFor()

    await choose('other.xml')

    await page.getByText('1 file: none with findings, none left out.').waitFor()
    expect(await page.getByRole('row').last().innerText()).to.contain('New notes')
  })
})

describeInBrowser('a person who uploads too much', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory({ limits: { document: 3000, request: 8000, parts: 5 } })
  })
  after(removeRepositories)

  it('413: is told the limits and the sizes before anything is sent', async () => {
    const { page, check } = await browser.open(history.origin)
    await page.goto(`${history.origin}/app/upload`)
    const asked: string[] = []
    page.on('request', request => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
    const choose = async (files: Files) =>
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles(
          Object.entries(files).map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) })),
        )
    const document = (length: number) => JSON.stringify({ name: 'x'.repeat(length) })
    await choose({ 'large.json': document(4000) })
    await page.getByText('The file has 3.9 KB; the server takes at most 2.9 KB.').waitFor()
    expect(asked.filter(request => request.startsWith('POST'))).to.deep.equal([])
    await page.getByRole('checkbox', { name: 'Store large.json' }).uncheck()

    await choose(Object.fromEntries(['a', 'b', 'c'].map(name => [`${name}.json`, document(2500)])))
    await page.getByText('4 files: 1 with findings, 1 left out.').waitFor()
    await page.getByRole('button', { name: 'Store 3 documents' }).click()
    await page.getByText(/The files have 10\.\d KB together; the server takes at most 7\.8 KB/).waitFor()
    await choose(Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(name => [`${name}.json`, document(10)])))
    await page.getByText('6 files: 1 with findings, 1 left out.').waitFor()
    await page.getByRole('button', { name: 'Store 5 documents' }).click()
    await page.getByText('5 files are chosen; one commit takes at most 4.').waitFor()

    await check()
    expect(asked).to.not.contain('POST /api/changesets')
  })
})

/** Counts the checks that ran at the same time. A script for the page. */
const checksAtOnce = `(() => {
  const checks = performance.getEntriesByType('resource').filter(({ name }) => name.includes('dryRun'))
  return Math.max(...checks.map(({ startTime: at }) =>
    checks.filter(({ startTime, responseStart }) => startTime <= at && at < responseStart).length))
})()`
