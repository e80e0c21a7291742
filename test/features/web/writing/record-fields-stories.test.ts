import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  rodTexts,
  type ServiceWithHistory,
  serviceWithHistory,
} from '../../../support/browser/example-history.js'
import { describeInBrowser, type OpenOptions } from '../../../support/browser/open-browser.js'
import { replaceText, ways } from '../../../support/browser/ways-of-input.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

const newest = rodTexts[4] ?? ''

/** Notes the names of the parts of forms that the page sends. */
const noteParts = `globalThis.parts = []
const { append } = FormData.prototype
FormData.prototype.append = function (name, ...rest) {
  parts.push(name)
  return append.call(this, name, ...rest)
}`

describeInBrowser('a person who edits a record together with its document', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
  })
  after(removeRepositories)

  const stored = async () => (await history.service.http.get('/api/v2/metadata/rod').buffer(true)).text
  async function recordOf(id: string) {
    const asked = history.service.http.get(`/api/v2/metadata/${id}`)
    return (await asked.set('Accept', 'application/vnd.datacite.org+json').expect(200)).body
  }
  async function fieldsOf(id: string): Promise<readonly string[]> {
    const { titles, relatedIdentifiers } = await recordOf(id)
    const resource = relatedIdentifiers?.find(
      (each: Record<string, string>) => each.relationType === 'IS_METADATA_FOR',
    )
    return [titles[0].value, resource?.value, resource?.identifierType]
  }
  /** Somebody else gives a document another title. */
  async function rename(id: string, title: string): Promise<void> {
    const { relatedIdentifiers, titles, ...record } = await recordOf(id)
    await history.service.http
      .put(`/api/v2/metadata/${id}`)
      .set('If-Match', '*')
      .field(
        'record',
        JSON.stringify({
          ...record,
          titles: [{ ...titles[0], value: title }],
          relatedIdentifiers: relatedIdentifiers.filter(
            (each: Record<string, string>) => each.relationType !== 'HAS_METADATA',
          ),
        }),
      )
      .expect(200)
  }

  async function openEditor(id: string, options: OpenOptions = {}) {
    const watched = await browser.open(history.origin, options)
    const { page } = watched
    await page.goto(`${history.origin}/app/metadata/${id}/edit?view=text`)
    await page.locator('.cm-content').waitFor()
    return { ...watched, title: page.getByLabel('Title', { exact: true }), resource: describedIn(page) }
  }

  for (const { name: way, options, activate } of ways) {
    it(`stores another title without sending the document, whose bytes stay, ${way}`, async () => {
      const odd = `{"name" :  "${way}",\r\n\t"serial":12345678901234567890.10 }`
      await history.revise(odd)
      const { page, check, title } = await openEditor('rod', options)
      await page.evaluate(noteParts)
      const sent: string[] = []
      page.on('request', request => {
        if (request.method() !== 'GET') sent.push(`${request.method()} ${request.headers()['if-match']}`)
      })
      const before = await history.service.head()

      await title.fill(`Rod ${way}`)
      await activate(page, page.getByRole('button', { name: /^Store as version/ }))

      await page.getByText(/^Stored as version/).waitFor()
      await page.getByRole('heading', { level: 1, name: `Edit Rod ${way}` }).waitFor()
      await check()
      expect(await fieldsOf('rod')).to.deep.equal([`Rod ${way}`, 'https://example.org/rod', 'URL'])
      expect(await stored()).to.equal(odd)
      expect(sent).to.deep.equal([`PUT "${before}"`])
      expect(await page.evaluate('parts')).to.deep.equal(['record'])
      const { repository } = history.service
      const changed = await repository.git('diff', '--name-only', before, await history.service.head())
      expect(changed.trim()).to.match(/^metadata\/.*\/rod\/record\.json$/)
    })
  }

  it('sees which fields will change, and stores them with the document and a message in one version', async () => {
    await history.revise(newest)
    const { page, check, title, resource } = await openEditor('rod')
    const { version } = await recordOf('rod')
    await title.fill('Long rod')
    await resource.fill('10.5072/rod')
    await replaceText(page, newest.replace('Rod B', 'Rod L'))
    await page.getByRole('button', { name: 'See what changes from version' }).click()
    await page.getByText('becomes “Long rod”').waitFor()
    await page.getByText('“https://example.org/rod” becomes “10.5072/rod”').waitFor()
    await page.getByText('1 change in the text', { exact: true }).waitFor()
    await check()

    await page.getByLabel('What did you change?').fill('It is long')
    await page.keyboard.press('Enter')

    await page.getByText(`Stored as version ${Number(version) + 1}.`).waitFor()
    expect(await fieldsOf('rod')).to.deep.equal(['Long rod', '10.5072/rod', 'DOI'])
    expect(await stored()).to.equal(newest.replace('Rod B', 'Rod L'))
    await page.getByRole('button', { name: /^Store as version/ }).click()
    await page.getByText('there is nothing to store').waitFor()
    // Without a title of its own it has that of its document.
    await title.fill(' ')
    await page.getByRole('button', { name: /^Store as version/ }).click()
    await page.getByText(`Stored as version ${Number(version) + 2}.`).waitFor()
    expect(await title.inputValue()).to.equal('')
    expect((await recordOf('rod')).titles[0].value).to.equal('Metadata 4 metastore')
  })

  it('19. 412: is told which field somebody else has changed, and both changes are in the next version', async () => {
    await rename('rod', 'Before')
    const { page, check, title, resource } = await openEditor('rod', { expected: /^412 / })
    await resource.fill('https://example.org/mine')
    await rename('rod', 'Theirs')

    await page.getByRole('button', { name: /^Store as version/ }).click()

    await page.getByText(/Version \d+ by someone without a login changed Title\./).waitFor()
    await page.getByText('Its changes and yours are in version').waitFor()
    expect(await fieldsOf('rod')).to.deep.equal(['Theirs', 'https://example.org/mine', 'URL'])
    expect(await title.inputValue()).to.equal('Theirs')
    await page.getByRole('heading', { level: 1, name: 'Edit Theirs' }).waitFor()
    await check()
  })

  it('19. 412: chooses where both have changed the title', async () => {
    const text = await stored()
    const { page, check, title } = await openEditor('rod', { expected: /^412 / })
    const before = await title.inputValue()
    await title.fill('My title')
    await rename('rod', 'Their title')
    await history.revise(text.replace('"kg"', '"g"'))

    await page.getByRole('button', { name: /^Store as version/ }).click()
    const choice = page.getByRole('group', { name: 'Title' })
    await choice.waitFor()
    expect(await choice.locator('pre').allInnerTexts()).to.deep.equal([before, 'My title', 'Their title'])
    await check()
    await page.getByRole('radio', { name: 'Yours' }).check()
    await page.getByRole('button', { name: 'Put together' }).click()
    await page.getByText('Put together, not stored yet: yours at 1').waitFor()
    expect((await fieldsOf('rod'))[0]).to.equal('Their title')
    expect(await page.locator('.cm-content').innerText()).to.contain('"g"')
    await page.getByRole('button', { name: /^Store as version/ }).click()

    await page.getByText(/^Stored as version/).waitFor()
    expect((await fieldsOf('rod'))[0]).to.equal('My title')
    expect(await stored()).to.equal(text.replace('"kg"', '"g"'))
  })

  it('is never stored twice: after a lost answer it reads that its changes are stored already', async () => {
    const { page, check, title } = await openEditor('rod', { expected: /^412 / })
    const { version } = await recordOf('rod')
    await page.route(
      '**/api/v2/metadata/rod',
      async route => {
        await route.fetch()
        await route.abort('connectionreset')
      },
      { times: 1 },
    )
    await title.fill('Stored once')
    await page.getByRole('button', { name: /^Store as version/ }).click()
    const bar = page.getByRole('region', { name: 'Store and check' })

    await bar.getByRole('button', { name: 'Try again' }).click()

    await page.getByText('It has your changes already: there is nothing left to store.').waitFor()
    await check()
    expect((await fieldsOf('rod'))[0]).to.equal('Stored once')
    expect((await recordOf('rod')).version).to.equal(String(Number(version) + 1))
    await waitUntil('no draft', async () => (await page.evaluate('localStorage.length')) === 0)
  })

  it('20. finds fields and message again in the draft of an older version', async () => {
    await rename('rod', 'Kept before')
    const { page, check, title, resource } = await openEditor('rod', { expected: /^412 / })
    await title.fill('Kept title')
    await page.getByLabel('What did you change?').fill('Kept message')
    await waitUntil('the draft', async () =>
      String(await page.evaluate('localStorage.getItem(localStorage.key(0))')).includes('Kept message'),
    )
    // The warning of the browser about what is not stored.
    page.on('dialog', dialog => void dialog.accept())
    await page.goto(`${history.origin}/dashboard`)
    await history.revise('{ "name": "Newer" }')
    await page.goto(`${history.origin}/app/metadata/rod/edit?view=text`)

    await page.getByRole('button', { name: 'Continue with it' }).click()
    await page.locator('.cm-content').waitFor()
    expect(await title.inputValue()).to.equal('Kept title')
    expect(await resource.inputValue()).to.match(/^https:/)
    const message = page.getByLabel('What did you change?')
    expect(await message.inputValue()).to.equal('Kept message')
    await check()
    await message.press('Enter')

    await page.getByText('Its changes and yours are in version').waitFor()
    expect((await fieldsOf('rod'))[0]).to.equal('Kept title')
    expect(await stored()).to.equal('{ "name": "Newer" }')
    const versions = (await history.service.http.get('/api/v2/metadata/rod/versions').expect(200)).body
    expect(versions[0].message).to.equal('Kept message')
    await waitUntil('no draft', async () => (await page.evaluate('localStorage.length')) === 0)
  })

  it('409: is led to the record that describes the same already; without what it describes nothing is stored', async () => {
    const { page, check, resource } = await openEditor('nameless', { expected: /^409 / })
    const head = await history.service.head()
    await resource.fill(' ')
    await page.keyboard.press('Control+s')
    await page.getByText('What the document describes is missing.').first().waitFor()
    expect(await page.locator(':focus').getAttribute('name')).to.equal('resource')
    await check()
    const [name = '', taken = ''] = await fieldsOf('rod')
    await resource.fill(taken)
    await page.keyboard.press('Control+s')

    await page.getByText('There is such a document already:').waitFor()
    await page.getByRole('main').getByRole('link', { name }).waitFor()
    await check()
    await page.getByRole('link', { name: 'Edit that one' }).click()
    await page.getByRole('heading', { level: 1, name: `Edit ${name}` }).waitFor()
    expect(await history.service.head()).to.equal(head)
  })

  it('of a schema: a title that somebody else has given it meanwhile stays', async () => {
    const { page, check } = await browser.open(history.origin, { expected: /^412 / })
    const { http } = history.service
    await page.goto(`${history.origin}/app/schemas/rods/edit`)
    const content = page.locator('.cm-content')
    await content.waitFor()
    const asked = await http.get('/api/v2/schemas/rods').set('Accept', 'application/vnd.datacite.org+json')
    const renamed = { ...asked.body, titles: [{ value: 'Their rods' }] }
    await http
      .put('/api/v2/schemas/rods')
      .set('If-Match', '*')
      .field('record', JSON.stringify(renamed))
      .expect(200)
    await content.fill('{ "type": "object" }')

    await page.getByRole('button', { name: 'Store as version 4' }).click()
    await page.getByText('changed Title.').waitFor()
    expect(await page.getByLabel('Title').inputValue()).to.equal('Their rods')
    await check()
    // What was checked by the state of before is checked anew.
    await page.getByText('The server can use this schema.').waitFor()
    await page.getByRole('button', { name: /^Store as version 4/ }).click()

    await page.getByText('Stored as version 4.').waitFor()
    const { titles } = (
      await http.get('/api/v2/schemas/rods').set('Accept', 'application/vnd.datacite.org+json')
    ).body
    expect(titles[0].value).to.equal('Their rods')
  })
})

function describedIn(page: Page) {
  return page.getByLabel('What the document describes')
}
