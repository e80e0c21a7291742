import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser, type OpenOptions, whileHeldBack } from '../../../support/browser/open-browser.js'
import { metadataRecordV1, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

const jsonSchema = JSON.stringify({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['kind'],
  properties: {
    name: { type: 'string', description: 'Never <img src=x onerror=alert(1)> markup.' },
    kind: { enum: ['rod', 'plate'] },
    size: { $ref: 'size.json' },
  },
})
const sizeSchema = JSON.stringify({ type: 'object', properties: { unit: { enum: ['mm', 'inch'] } } })

const xsd = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:parcel" targetNamespace="urn:parcel" elementFormDefault="qualified">
  <xs:include schemaLocation="parts/weight.xsd"/>
  <xs:element name="parcel"><xs:complexType><xs:sequence>
    <xs:element name="weight" type="weight"><xs:annotation><xs:documentation>With &lt;b>its&lt;/b> unit.</xs:documentation></xs:annotation></xs:element>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>
`
const weightXsd = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:complexType name="weight"><xs:simpleContent><xs:extension base="xs:decimal">
    <xs:attribute name="unit" use="required"><xs:simpleType><xs:restriction base="xs:string">
      <xs:enumeration value="g"/><xs:enumeration value="kg"/>
    </xs:restriction></xs:simpleType></xs:attribute>
  </xs:extension></xs:simpleContent></xs:complexType>
</xs:schema>
`

describeInBrowser('a person who writes text with the help of the schema', browser => {
  let service: TestService
  let origin: string
  before(async () => {
    service = await startService()
    origin = `http://127.0.0.1:${service.port}`
    await service
      .postSchema({ schemaId: 'samples', label: 'Rods and plates' }, jsonSchema, { 'size.json': sizeSchema })
      .expect(201)
    await service.postSchema({ schemaId: 'parcels' }, xsd, { 'parts/weight.xsd': weightXsd }).expect(201)
    const record = (id: string, schema: string) =>
      metadataRecordV1(`https://example.org/${id}`, schema, { id })
    await service.postMetadata(record('sample', 'samples'), '{\n  "kind": "rod"\n}').expect(201)
    const parcel = '<parcel xmlns="urn:parcel">\n  <weight unit="g">1</weight>\n</parcel>\n'
    await service.postMetadata(record('parcel', 'parcels'), parcel).expect(201)
  })
  after(removeRepositories)

  /** Opens a text in the editor, and empties it. */
  async function openEmpty(id: string, options: OpenOptions = {}) {
    const watched = await browser.open(origin, options)
    const { page } = watched
    await page.goto(`${origin}/app/metadata/${id}/edit?view=text`)
    await page.locator('.cm-content').focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    return watched
  }

  it('9. writes JSON: names and values are completed from the schema and its files, and a wrong value is marked', async () => {
    const { page, check } = await openEmpty('sample', { expected: /^422 .*validate/ })

    await page.keyboard.type('{ "')
    await seeCompletions(page, '"kind" "name" "size"')
    await page.keyboard.type('na')
    await page.getByText('Never <img src=x onerror=alert(1)> markup.').waitFor()
    await check()
    await page.keyboard.press('Enter')
    await page.keyboard.type('"Rod A", ki')
    await accept(page, '"kind"')
    await seeCompletions(page, '"plate" "rod"')
    await page.keyboard.type('"pl')
    await accept(page, '"plate"')
    await page.keyboard.type(', "si')
    await accept(page, '"size"')
    await page.keyboard.type('{ "un')
    await accept(page, '"unit"')
    await accept(page, '"inch"')
    await page.keyboard.type(' } }')

    await page.getByText('The text is valid against “Rods and plates” (samples), version 1.').waitFor()
    expect(await textOf(page)).to.equal('{ "name": "Rod A", "kind": "plate", "size": { "unit": "inch" } }')
    for (let count = 0; count < 5; count++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Backspace')
    await page.locator('.cm-lintRange-error').waitFor()
    expect(await page.locator('.cm-lintRange-error').allInnerTexts()).to.deep.equal(['"unit"'])
    await check()
  })

  it('10. writes XML of an XSD: elements and attributes are completed, and the finding stands at its line', async () => {
    const { page, check } = await openEmpty('parcel', { expected: /^422 .*validate/ })

    await page.keyboard.type('<pa')
    await accept(page, 'parcel')
    await page.keyboard.type(' xm')
    await accept(page, 'xmlns')
    await page.keyboard.type('=')
    await accept(page, '"urn:parcel"')
    await page.keyboard.type('>')
    await page.keyboard.press('Enter')
    await page.keyboard.type('<we')
    await page.getByText('With <b>its</b> unit.').waitFor()
    await check()
    await accept(page, 'weight')
    await page.keyboard.type(' un')
    await accept(page, 'unit')
    await page.keyboard.type('="')
    await accept(page, '"kg"')
    await page.keyboard.type('>heavy')

    // The editor has closed both elements.
    await page.getByText('The server has 1 finding:').waitFor()
    expect(await textOf(page)).to.equal(
      '<parcel xmlns="urn:parcel">\n  <weight unit="kg">heavy</weight>\n</parcel>',
    )
    const marked = page.locator('.cm-lintRange-error')
    const whole = '<weight unit="kg">heavy</weight>'
    await waitUntil('the mark', async () => (await marked.allInnerTexts()).join() === whole)
    await check()
  })

  it('types on while the schema is read: the names are completed as soon as it is there', async () => {
    const { page } = await openEmpty('sample')
    await whileHeldBack(page, '**/samples/bundle*', {
      ask: () => page.keyboard.type('{'),
      work: () => page.keyboard.type(' "'),
    })
    await seeCompletions(page, '"kind" "name" "size"')
  })

  it('leaves the editor by Escape and Tab, also while the list is open', async () => {
    const { page } = await openEmpty('sample')
    await page.keyboard.type('{ "')
    await seeCompletions(page, '"kind" "name" "size"')

    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')

    expect(await page.locator('.cm-content:focus').count()).to.equal(0)
    expect(await page.getByRole('option').count()).to.equal(0)
    expect(await textOf(page)).to.equal('{ "')
  })

  it('goes on without completion if the schema cannot be read for it, and says so', async () => {
    const { page, check } = await openEmpty('parcel', { expected: /^(?:503 .*outline|422 .*validate)/ })
    await page.route('**/outline?*', route =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: '{"detail":"Too much to do."}',
      }),
    )

    await page.keyboard.type('<pa')

    await page.getByText(/^Names and values are not completed: .+ Too much to do\.$/).waitFor()
    expect(await textOf(page)).to.equal('<pa')
    await check()
  })
})

/** Waits until these completions are shown. */
async function seeCompletions(page: Page, labels: string): Promise<void> {
  const shown = page.getByRole('listbox').locator('.cm-completionLabel')
  await waitUntil(`the completions ${labels}`, async () => (await shown.allInnerTexts()).join(' ') === labels)
}

/** Takes a completion. */
async function accept(page: Page, label: string): Promise<void> {
  const name = page.locator('.cm-completionLabel', { hasText: label })
  await page.getByRole('option').filter({ has: name }).first().click()
}

async function textOf(page: Page): Promise<string> {
  return String(await page.locator('.cm-content').innerText())
}
