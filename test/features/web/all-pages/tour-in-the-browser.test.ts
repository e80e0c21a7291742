import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../../../src/cli/installed-package.js'
import { describeInBrowser, type WatchedPage } from '../../../support/browser/open-browser.js'
import {
  type RunningServer,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../../support/program/run-program.js'
import { gitSync } from '../../../support/program/run-synchronously.js'

/*
 * Follows docs/use/tour-in-the-browser.md, and takes the pictures of the documents. METASTORE_PICTURES=1 stores them.
 */

const pictures = join(packageFolder(), 'docs', 'pictures')
const tour = join(packageFolder(), 'docs', 'use', 'tour-in-the-browser.md')

describeInBrowser('the tour in a browser', browser => {
  let server: RunningServer
  let data: string
  let watched: WatchedPage
  /** The names of links, buttons and fields that were used. */
  const used: string[] = []

  before(async () => {
    data = join(await temporaryFolder(), 'data')
    server = await startServer(['--data', data])
    watched = await browser.open(server.url.slice(0, -1), { viewport: { width: 1120, height: 760 } })
  })
  after(stopProcesses)

  const page = () => watched.page
  const name = (text: string) => {
    used.push(text)
    return { name: text, exact: true }
  }
  const follow = (text: string) => page().getByRole('link', name(text)).first().click()
  const choose = (text: string) => page().getByRole('button', name(text)).first().click()
  const field = (text: string) => page().getByRole('textbox', name(text)).first()

  async function picture(file: string): Promise<void> {
    await watched.check()
    const bytes = await page().screenshot({ animations: 'disabled' })
    expect(bytes.length, file).to.be.within(10_000, 150_000)
    if (!process.env.METASTORE_PICTURES) return
    await mkdir(pictures, { recursive: true })
    await writeFile(join(pictures, `${file}.png`), bytes)
  }

  it('1. finds a document', async () => {
    await page().goto(server.url)
    await page().getByRole('heading', { name: 'What changed last' }).waitFor()
    await picture('dashboard')

    await page().getByRole('searchbox').fill('fracture')
    await page().keyboard.press('Enter')

    await page().locator('mark').first().waitFor()
    await picture('search')
    await follow('Overview of a fracture surface')
  })

  it('2. reads it', async () => {
    await page().getByRole('heading', { name: 'Overview of a fracture surface' }).waitFor()
    await picture('landing-page')
  })

  it('3. changes it with a form', async () => {
    await follow('Edit')
    await field('Operator').fill('Berta Example')
    await picture('form')
    await choose('Store as version 2')
    await page().getByText('Stored as version 2.').waitFor()
  })

  it('4. sees what changed', async () => {
    await follow('Versions')
    await choose('Compare the chosen versions')
    await page().locator('.cm-content').first().waitFor()
    await picture('compare')
  })

  it('5. takes it back', async () => {
    await follow('Versions')
    await follow('Restore version 1')
    await choose('Store version 1 as version 3')
    await page().getByText('Version 1 was stored again as version 3.').waitFor()
  })

  it('6. writes a new document', async () => {
    await follow('Dashboard')
    await follow('New document')
    await follow('Measurement')
    await page().getByLabel('What the document describes').fill('https://example.org/images/8')
    const form = page().locator('div.schema-form')
    await form.waitFor()
    await picture('new-document')
    await page().getByLabel('Title').first().fill('Weld')
    await form.getByLabel('Title').fill('Weld of a steel rod')
    await form.getByLabel('Date').fill('2026-03-15')
    await form.getByLabel('Name').first().fill('Microscope')
    await choose('Store')
    await page().getByRole('heading', { name: 'Weld' }).first().waitFor()
  })

  it('has made a commit for each change', async () => {
    const subjects = gitSync(['log', '--format=%s'], data).toString().trim().split('\n')
    // That of the examples, two changes, and a new document.
    expect(subjects).to.have.length(4)
  })

  it('names in its text what it uses, in this order', async () => {
    const text = (await readFile(tour, 'utf8')).replace(/!\[[^\]]*\]/g, '').replaceAll(/\s+/g, ' ')
    const named = [...text.matchAll(/(?<!\*)\*([^*]+)\*(?!\*)/g)].map(([, words]) => words)
    expect(named).to.deep.equal(used)
  })
})
