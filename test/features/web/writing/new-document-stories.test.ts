import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser, type OpenOptions } from '../../../support/browser/open-browser.js'
import { replaceText, ways } from '../../../support/browser/ways-of-input.js'
import { standard } from '../../../support/exports/standards.js'
import { noteXml, noteXsdText } from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

const dataCiteFile = standard('..', 'data', 'datacite', 'json', 'kernel-4.3', 'datacite_4.3_schema.json')
/** The members that DataCite 4.3 requires. A machine without its schema has one with the same members. */
const required = [
  'identifiers',
  'creators',
  'titles',
  'publisher',
  'publicationYear',
  'types',
  'schemaVersion',
]
const dataCite =
  dataCiteFile === undefined
    ? JSON.stringify({
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: {
          ...Object.fromEntries(required.map(name => [name, { type: 'array', items: { type: 'object' } }])),
          publisher: { type: 'string' },
          publicationYear: { type: 'string' },
          schemaVersion: { const: 'http://datacite.org/schema/kernel-4' },
        },
        required,
      })
    : readFileSync(dataCiteFile, 'utf8')

describeInBrowser('a person who makes a new document in the browser', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
    const { service } = history
    await service.postSchema({ schemaId: 'datacite', label: 'DataCite 4.3' }, dataCite).expect(201)
    await service
      .postSchema({ schemaId: 'notes', label: 'Short notes', type: 'XML' }, noteXsdText)
      .expect(201)
  })
  after(removeRepositories)

  const get = (path: string) => history.service.http.get(path).buffer(true)

  async function openNew(address: string, options: OpenOptions = {}) {
    const watched = await browser.open(history.origin, options)
    await watched.page.goto(`${history.origin}/app/new${address}`)
    return watched
  }

  /** A new document of `rods`, as text. */
  async function openRod(query = '', options: OpenOptions = {}) {
    const watched = await openNew(`?schema=rods&view=text${query}`, options)
    await watched.page.locator('.cm-content').waitFor()
    return watched
  }

  async function describe(page: Page, title: string, resource: string) {
    // The document may have fields with the same names.
    const fields = page.getByRole('group', { name: 'About the document' })
    await fields.getByLabel('Title').fill(title)
    await fields.getByLabel('What the document describes').fill(resource)
  }

  async function typeText(page: Page, text: string) {
    await page.locator('.cm-content').focus()
    await page.keyboard.press('Control+a')
    // What replaces coloured text gets its colour from Chromium as an inline style, which the policy forbids.
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(text)
  }

  /** The id of the document whose page opens after it is stored. */
  async function openedDocument(page: Page): Promise<string> {
    await page.waitForURL(/\/app\/metadata\/[^/]+$/)
    return new URL(page.url()).pathname.split('/').at(-1) ?? ''
  }

  const storeButton = (page: Page) => page.getByRole('button', { name: 'Store', exact: true })

  for (const { name: way, options, activate } of ways) {
    it(`7. makes a document with a form of DataCite 4.3, leaves out what is required, stores: the focus is at the first finding, ${way}`, async () => {
      const { page, check } = await openNew('?schema=datacite', { ...options, expected: /^422 / })
      const head = await history.service.head()
      await describe(page, 'Steel rods', `https://example.org/${way.replaceAll(' ', '-')}`)
      await page.getByLabel('Publisher').fill('The lab')
      // The form offers an item that the document does not have: it is not counted, and only the list is required.
      const creators = page.getByRole('group', { name: /^Creators/ }).first()
      expect(await creators.innerText()).to.not.match(/\(0 items\)|Item 1[^\n]*\(required\)/)
      // The version of the schema is filled in.
      const missing = required.filter(name => !['publisher', 'schemaVersion'].includes(name))

      await activate(page, storeButton(page))

      await page.getByText(`The server has ${missing.length} findings:`).waitFor()
      const list = page.getByRole('region', { name: 'What the server found' })
      const [first = ''] = await list.getByRole('button').allInnerTexts()
      await page.locator(':focus').filter({ hasText: first }).waitFor()
      // The finding names the field as its label does, in a sentence that fits one name and many.
      expect(await list.innerText()).to.contain(
        "Types This is required, and still missing. must have required property 'types'",
      )
      const year = page.getByLabel('Publication year')
      expect(await year.getAttribute('aria-invalid')).to.equal('true')
      expect(
        await page.locator(`[id="${await year.getAttribute('aria-describedby')}"]`).innerText(),
      ).to.contain("must have required property 'publicationYear'")
      await check()
      await activate(page, list.getByRole('button', { name: 'Publication year' }))
      await year.and(page.locator(':focus')).waitFor()
      expect(await history.service.head()).to.equal(head)
    })
  }

  it('finds the schema by its title, fills the form, stores, and is on the page of the document', async () => {
    const { page, check } = await openNew('')
    await page.getByRole('link', { name: 'Short notes' }).waitFor()
    await check()
    await page.getByLabel('Find a schema by its title').fill('rod')
    await page.getByText('1 schema', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'rods' }).click()
    await page.getByRole('heading', { level: 1, name: 'New document: ' }).waitFor()
    await describe(page, 'Copper rod', 'https://example.org/copper')
    await page.getByLabel('Name').fill('Copper rod 1')
    await check()

    await storeButton(page).click()

    const id = await openedDocument(page)
    const said = page.getByRole('status').getByText('Stored as version 1.')
    await said.waitFor()
    await check()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Copper rod', exact: true }).waitFor()
    expect(await said.count()).to.equal(0)
    await page.getByRole('link', { name: 'Versions', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Versions of Copper rod' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Copper rod', exact: true }).waitFor()
    expect(await said.count()).to.equal(0)
    expect((await get(`/api/v2/metadata/${id}`)).text).to.equal('{\n  "name": "Copper rod 1"\n}\n')
    const { body } = await history.service.http
      .get(`/api/v2/metadata/${id}`)
      .set('Accept', 'application/vnd.datacite.org+json')
    expect(body.titles[0].value).to.equal('Copper rod')
    expect(await page.evaluate('localStorage.length')).to.equal(0)
  })

  it('gives no title, and everything names the document by the title that it has itself', async () => {
    const { page, check } = await openRod()
    await page.getByLabel('What the document describes').fill('https://example.org/zinc')
    await typeText(page, '{ "name": "Zinc rod 1" }')

    await storeButton(page).click()

    const id = await openedDocument(page)
    const heading = page.getByRole('heading', { level: 1, exact: true, name: 'Zinc rod 1' })
    await heading.waitFor()
    for (const place of ['access', 'edit?view=text']) {
      await page.goto(`${history.origin}/app/metadata/${id}/${place}`)
      await page.getByRole('heading', { level: 1, name: 'Zinc rod 1' }).waitFor()
    }
    await page.locator('.cm-content').waitFor()
    await check()
    await page.goto(`${history.origin}/app/search`)
    await page.getByRole('link', { name: 'Zinc rod 1' }).waitFor()
    await page.goto(`${history.origin}/app/metadata/${id}/edit?view=text`)
    await page.locator('.cm-content').waitFor()
    await typeText(page, '{ "name": "Zinc rod 2" }')
    await page.getByRole('button', { name: /^Store/ }).click()
    await page.getByText('Stored as version 2.').waitFor()
    await check()
    await page.goto(`${history.origin}/metadata-landing-page?id=${id}`)
    await page.getByRole('heading', { level: 1, exact: true, name: 'Zinc rod 2' }).waitFor()
    await page.goto(`${history.origin}/app/new?from=${id}&view=text`)
    await page.getByText('It begins with a copy of Zinc rod 2.').waitFor()
    expect(await page.getByLabel('Title').inputValue()).to.equal('')
  })

  it('is told what the record does not have, before anything is sent; and what the document does not have', async () => {
    const { page, check } = await openRod('', { expected: /^422 .*validate/ })
    const head = await history.service.head()
    await typeText(page, '{}')

    await storeButton(page).click()

    await page.getByText('What the document describes is missing.').first().waitFor()
    const describes = page.getByLabel('What the document describes')
    await describes.and(page.locator(':focus')).waitFor()
    // One of the record, one of the document.
    await page.getByText('There are 2 findings:').waitFor()
    expect(await describes.getAttribute('aria-invalid')).to.equal('true')
    const list = page.getByRole('region', { name: 'What the server found' })
    await list.getByRole('button', { name: 'What the document describes' }).click()
    await describes.and(page.locator(':focus')).waitFor()
    await check()
    expect(await history.service.head()).to.equal(head)
  })

  it('finds filled in what has one value only, and required lists open with an item', async () => {
    const { service } = history
    const strict = {
      type: 'object',
      properties: {
        description: { type: 'string' },
        titles: {
          title: 'Titles',
          type: 'array',
          items: { type: 'object', properties: { title: { title: 'Title text', type: 'string' } } },
        },
        schemaVersion: { title: 'Schema version', const: 'http://example.org/v1' },
        optional: { enum: ['x'] },
      },
      required: ['titles', 'schemaVersion'],
    }
    await service.postSchema({ schemaId: 'strict', label: 'Strict' }, JSON.stringify(strict)).expect(201)
    const { page, check } = await openNew('?schema=strict')
    await describe(page, 'A strict one', 'https://example.org/strict')
    await page.getByLabel('Title text').fill('The first title')
    await page.getByLabel('Description').and(page.locator('textarea')).waitFor()
    await check()

    await storeButton(page).click()

    const id = await openedDocument(page)
    expect(JSON.parse((await get(`/api/v2/metadata/${id}`)).text)).to.deep.equal({
      titles: [{ title: 'The first title' }],
      schemaVersion: 'http://example.org/v1',
    })
  })

  it('13. checks a new document without storing it', async () => {
    const { page, check } = await openRod()
    const head = await history.service.head()
    await typeText(page, '{ "name": "Rod X" }')

    await page.getByRole('button', { name: 'Check without storing' }).click()

    await page.getByText(/^The document is valid against .*, version 3\.$/).waitFor()
    await check()
    expect(await history.service.head()).to.equal(head)
  })

  it('begins with a copy of a document', async () => {
    const { page, check } = await openNew('?from=rod&resource=https://example.org/second-rod&view=text')

    await page.getByText('It begins with a copy of Steel rod.').waitFor()
    await page.locator('.cm-content').getByText('"Rod B"').waitFor()
    expect(await page.getByLabel('Title').inputValue()).to.equal('Steel rod')
    await check()
    await page.getByText('Choose the id yourself').click()
    await page.getByLabel('Id', { exact: false }).last().fill('second-rod')
    await page.keyboard.press('Control+s')

    expect(await openedDocument(page)).to.equal('second-rod')
    expect((await get('/api/v2/metadata/second-rod')).text).to.equal((await get('/api/v2/metadata/rod')).text)
  })

  it('makes an XML document as text', async () => {
    const { page, check } = await openNew('?schema=notes')
    await page.locator('.cm-content').waitFor()
    await describe(page, 'A note', 'https://example.org/a-note')
    await typeText(page, noteXml)

    await storeButton(page).click()

    const id = await openedDocument(page)
    expect((await get(`/api/v2/metadata/${id}`)).text).to.equal(noteXml)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await check()
  })

  it('10. begins an XML document with what its schema requires, and chooses the element with which it begins', async () => {
    const parcels = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:parcels" targetNamespace="urn:parcels" elementFormDefault="qualified">
      <xs:element name="label" type="xs:string"/>
      <xs:element name="parcel"><xs:complexType><xs:sequence>
        <xs:element ref="label"/><xs:element name="note" type="xs:string" minOccurs="0"/>
      </xs:sequence><xs:attribute name="unit" use="required" type="xs:string" fixed="kg"/></xs:complexType></xs:element>
    </xs:schema>`
    await history.service.postSchema({ schemaId: 'parcels', label: 'Parcels' }, parcels).expect(201)
    const { page, check } = await openNew('?schema=parcels')
    const shown = async () => (await page.locator('.cm-content').innerText()).trim()
    await page.locator('.cm-content').waitFor()
    expect(await shown()).to.equal(
      '<?xml version="1.0" encoding="UTF-8"?>\n<parcel xmlns="urn:parcels" unit="kg">\n  <label></label>\n</parcel>',
    )
    await check()
    const choice = page.getByLabel('Begin with element')
    expect(await choice.locator(':checked').innerText()).to.equal('parcel')
    await choice.selectOption('label')
    expect(await shown()).to.contain('<label xmlns="urn:parcels"></label>')
    // A beginning that nobody has edited is no draft.
    await page.goto(`${history.origin}/app/drafts`)
    await page.getByText('There are no drafts.').waitFor()

    await page.goto(`${history.origin}/app/new?schema=parcels`)
    await describe(page, 'A parcel', 'https://example.org/parcel')
    await page.locator('.cm-content').waitFor()
    await storeButton(page).click()
    await openedDocument(page)
  })

  it('9. begins a JSON document that is written as text with the members that its schema requires', async () => {
    const { page, check } = await openRod()
    const shown = await page.locator('.cm-content').innerText()
    expect(shown.trim()).to.equal('{\n  "name": ""\n}')
    await check()
  })

  it('20. loses the network while writing, closes the page, opens it again: the text is offered, once, and stored', async () => {
    const { page, check, faults } = await openRod()
    await page.context().setOffline(true)
    await describe(page, 'Offline rod', 'https://example.org/offline')
    await typeText(page, '{ "name": "Offline" }')
    await page.getByText(/^The server cannot be reached\./).waitFor()
    await waitUntil('the draft', async () => (await page.evaluate('localStorage.length')) === 1)
    await page.context().setOffline(false)

    await page.goto(`${history.origin}/app/drafts`)
    await page.getByText('a new document').waitFor()
    await check()
    await page.getByRole('link', { name: 'Offline rod' }).click()
    await page.getByText('This browser has kept a text that you have not stored').waitFor()
    await check()
    await page.getByRole('button', { name: 'Continue with it' }).click()
    expect(await page.getByLabel('Title').inputValue()).to.equal('Offline rod')
    expect(await page.getByLabel('Name').inputValue()).to.equal('Offline')
    await storeButton(page).click()
    await openedDocument(page)
    await page.goto(`${history.origin}/app/new?schema=rods`)

    await page.getByLabel('Name').waitFor()
    expect(await page.getByText('This browser has kept').count()).to.equal(0)
    expect(await page.evaluate('localStorage.length')).to.equal(0)
    expect(faults).to.deep.equal([])
  })

  it('409: is led to the document that describes the same already', async () => {
    const { page, check } = await openRod('&resource=https://example.org/rod', { expected: /^409 / })
    await page.getByLabel('Title').fill('Another rod')
    await typeText(page, '{ "name": "Another" }')

    await storeButton(page).click()

    await page.getByText('There is such a document already:').waitFor()
    await check()
    await page.getByRole('link', { name: 'Edit that one' }).click()
    await page.getByRole('heading', { level: 1, name: 'Edit Steel rod' }).waitFor()
  })

  it('asks first whether the document is there, when the answer to storing was lost', async () => {
    const { page, check } = await openRod()
    await describe(page, 'Lost rod', 'https://example.org/lost')
    await typeText(page, '{ "name": "Lost" }')
    let posts = 0
    // The request arrives, the answer does not.
    await page.route('**/api/v2/metadata', async route => {
      posts++
      await route.fetch()
      await route.abort('connectionreset')
    })

    await storeButton(page).click()
    await page.getByText('The connection was lost while the document was being stored.').waitFor()
    await check()
    await storeButton(page).click()

    await openedDocument(page)
    expect(posts).to.equal(1)
    const { body } = await history.service.http.get('/api/v2/metadata?resourceId=https://example.org/lost')
    expect(body).to.have.length(1)
  })

  it('stores after a lost connection if the document did not arrive', async () => {
    const { page } = await openRod()
    await describe(page, 'Retried rod', 'https://example.org/retried')
    await typeText(page, '{ "name": "Retried" }')
    await page.route('**/api/v2/metadata', route => route.abort('connectionreset'), { times: 1 })

    await storeButton(page).click()
    await page.getByText('The connection was lost').waitFor()
    // The browser asks for the document, which is not there.
    await storeButton(page).click()

    await openedDocument(page)
  })

  it('finds both ways in from the pages of the server', async () => {
    const { page } = await browser.open(history.origin)
    await page.goto(`${history.origin}/dashboard`)
    await page.getByRole('link', { name: 'New document' }).click()
    await page.getByRole('heading', { level: 1, name: 'New document' }).waitFor()
    await page.goto(`${history.origin}/metadata-management`)
    await page.getByRole('link', { name: 'New document' }).click()
    await page.getByRole('heading', { level: 1, name: 'New document' }).waitFor()
    await page.goto(`${history.origin}/schema-landing-page?schemaId=rods`)
    await page.getByRole('link', { name: 'New document of this schema' }).click()
    await page.getByLabel('Name').waitFor()
    await page.goto(`${history.origin}/metadata-landing-page?id=rod`)
    await page.getByRole('link', { name: 'New document from this one' }).click()
    await page.getByText('It begins with a copy of Steel rod.').waitFor()
  })
})

describeInBrowser('413: a person whose document is too large', browser => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory({ limits: { document: 2000 } })
  })
  after(removeRepositories)

  it('is told the limit and the size before anything is sent', async () => {
    const { page, check } = await browser.open(history.origin)
    await page.goto(`${history.origin}/app/new?schema=rods&view=text&resource=https://example.org/large`)
    await page.getByLabel('Title').fill('Large')
    await page.locator('.cm-content').focus()
    await page.keyboard.press('Control+a')
    const asked: string[] = []
    page.on('request', request => request.method() !== 'GET' && asked.push(request.url()))
    await page.keyboard.insertText(JSON.stringify({ name: 'x'.repeat(2500) }))

    await page.getByRole('button', { name: 'Store', exact: true }).click()

    await page
      .getByLabel('Store and check')
      .getByText('The document has 2.5 KB; the server takes at most 2.0 KB. Nothing was sent.')
      .waitFor()
    await check()
    expect(asked).to.deep.equal([])
  })

  it('is told the same of a document that it edits, and of a schema', async () => {
    const { page, check } = await browser.open(history.origin)
    const [size, limit] = ['The document has 2.5 KB; the server takes at most 2.0 KB.', 'Nothing was sent.']
    await page.goto(`${history.origin}/app/metadata/rod/edit?view=text`)
    await replaceText(page, JSON.stringify({ name: 'x'.repeat(2500) }))
    await page.getByText(`${size} ${limit}`).first().waitFor()
    await page.getByRole('button', { name: 'Store as version 6' }).click()
    await page.getByLabel('Store and check').getByText(size).waitFor()
    await check()
    page.on('dialog', dialog => void dialog.accept())
    await page.goto(`${history.origin}/app/schemas/new`)
    await replaceText(page, JSON.stringify({ type: 'object', title: 'x'.repeat(2500) }))

    await page.getByText(`${size} ${limit}`).first().waitFor()
    await check()
  })
})
