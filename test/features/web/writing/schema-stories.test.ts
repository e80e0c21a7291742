import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import type { Route } from 'playwright-core'
import { dropFiles } from '../../../support/browser/drop-files.js'
import { describeInBrowser, type OpenOptions, whileHeldBack } from '../../../support/browser/open-browser.js'
import { ways } from '../../../support/browser/ways-of-input.js'
import { metadataRecordV1, startService, type TestService } from '../../../support/http/test-service.js'
import { stopProcesses, temporaryFolder } from '../../../support/program/run-program.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

const rods = `{
  "title": "Rods",
  "type": "object",
  "properties": { "length": { "type": "number" } }
}
`
const kernel = {
  'kernel/metadata.xsd': `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:k" targetNamespace="urn:k" elementFormDefault="qualified">
  <xs:include schemaLocation="include/title.xsd"/>
  <xs:include schemaLocation="include/year.xsd"/>
  <xs:element name="resource"><xs:complexType><xs:sequence>
    <xs:element name="title" type="title"/><xs:element name="year" type="year"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>
`,
  'kernel/include/title.xsd':
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:simpleType name="title"><xs:restriction base="xs:string"/></xs:simpleType></xs:schema>',
  'kernel/include/year.xsd':
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:simpleType name="year"><xs:restriction base="xs:gYear"/></xs:simpleType></xs:schema>',
  'kernel/README.md': 'Not a schema.',
}

describeInBrowser('a person who registers and revises schemas', browser => {
  let service: TestService
  let origin: string
  before(async () => {
    service = await startService()
    origin = `http://127.0.0.1:${service.port}`
  })
  after(removeRepositories)
  after(stopProcesses)

  async function open(address: string, options: OpenOptions = {}) {
    const watched = await browser.open(origin, options)
    await watched.page.goto(`${origin}/app/${address}`)
    await watched.page.locator('.cm-content').waitFor()
    return watched
  }

  it('gets from pages that have nothing to that of a schema, with which all begins', async () => {
    const { page, check } = await browser.open(origin)
    for (const [address, said] of [
      ['new', 'There is no schema yet'],
      ['upload', 'There is no schema yet'],
      ['search', 'There is nothing yet that you may read. Begin with a schema'],
      ['changes', 'Nothing has changed yet. Begin with a schema'],
      ['drafts', 'There are no drafts.'],
    ] as const) {
      await page.goto(`${origin}/app/${address}`)
      await page.getByText(said).waitFor()
      await check()
      await page.getByRole('main').getByRole('link', { name: 'Register a schema' }).click()
      await page.getByRole('heading', { level: 1, name: 'Register a schema' }).waitFor()
    }
  })

  it('5. drops a JSON Schema: a broken one tells the line and stores nothing; mended, it is registered', async () => {
    const files = await filesIn({ 'rods.json': rods.replace('"object",', '"object"') })
    const { page, check } = await open('schemas/new', { expected: /^422 .*schemas/ })
    const head = await service.head()

    await dropFiles(page, 'Files of the schema', [join(files, 'rods.json')])

    await page.getByText('The server has 1 finding:').waitFor()
    const findings = page.getByRole('region', { name: 'What the server found' })
    expect(await findings.innerText()).to.contain('Line 4')
    expect((await page.locator('.cm-lintRange-error').allInnerTexts()).join()).to.contain('"properties"')
    await check()
    await page.getByRole('button', { name: 'Register the schema' }).click()
    await page.getByText('The server has 1 finding:').and(page.locator(':focus')).waitFor()
    expect(await service.head()).to.equal(head)
    await dropFiles(page, 'Files of the schema', [join(await filesIn({ 'rods.json': rods }), 'rods.json')])
    await page.getByText('The server can use this schema.').waitFor()
    expect(await page.getByLabel('Title').inputValue()).to.equal('Rods')
    expect(await page.getByLabel('Name in addresses (id)').inputValue()).to.equal('rods')
    await check()
    await page.getByRole('button', { name: 'Register the schema' }).click()

    await page.waitForURL('**/app/schemas/rods')
    await page.getByRole('status').getByText('Stored as version 1.').waitFor()
    await check()
    expect((await service.http.get('/api/v2/schemas/rods').buffer(true).expect(200)).text).to.equal(rods)
  })

  for (const [index, { name: way, options, activate }] of ways
    .filter(way => way.name !== 'on a desk')
    .entries()) {
    it(`5. registers a JSON Schema from a file, ${way}`, async () => {
      const files = await filesIn({ 'tubes.json': rods.replace('Rods', `Tubes ${index}`) })
      const { page, check } = await open('schemas/new', options)

      await page.getByLabel('Choose files').setInputFiles(join(files, 'tubes.json'))
      await page.getByText('The server can use this schema.').waitFor()
      await check()
      await activate(page, page.getByRole('button', { name: 'Register the schema' }))

      await page.waitForURL(`**/app/schemas/tubes-${index}`)
    })
  }

  it('5. 409: is told which schema has this id, and can revise that one', async () => {
    await service.postSchema({ schemaId: 'plates', label: 'Steel plates' }, rods).expect(201)
    const { page, check } = await open('schemas/new', { expected: /^409 .*schemas/ })
    await page.getByLabel('Name in addresses (id)').fill('plates')
    await page.locator('.cm-content').fill(rods)

    await page.getByRole('button', { name: 'Register the schema' }).click()

    await page.getByText('There is a schema “plates” already: Steel plates.').waitFor()
    await check()
    await page.getByLabel('Name in addresses (id)').fill('plates-2')
    await page.getByText('There is a schema').waitFor({ state: 'detached' })
    await page.getByLabel('Name in addresses (id)').fill('plates')
    await page.getByRole('button', { name: 'Register the schema' }).click()
    await page.getByRole('link', { name: 'Make a new version of that one' }).click()
    await page.waitForURL('**/app/schemas/plates/edit')
    await page.getByRole('heading', { level: 1, name: 'Edit Steel plates' }).waitFor()
  })

  it('6. registers an XSD with two included files by dropping the folder, after trying it on an example', async () => {
    const folder = await filesIn(kernel)
    const { page, check } = await open('schemas/new')

    await dropFiles(page, 'Files of the schema', [join(folder, 'kernel')])

    await page.getByText('This is read as an XML Schema (XSD).').waitFor()
    await page.getByText('The server can use this schema.').waitFor()
    const main = page.getByRole('radio')
    expect(await main.count()).to.equal(3)
    expect(await page.getByLabel('kernel/metadata.xsd').isChecked()).to.equal(true)
    await page.getByText('Try it on an example document').click()
    const example = '<resource xmlns="urn:k"><title>x</title><year>soon</year></resource>'
    await page.getByLabel('Example', { exact: true }).fill(example)
    await page.getByRole('button', { name: 'Check the example' }).click()
    await page.getByText('The example is not valid by this schema:').waitFor()
    await check()
    const mended = example.replace('soon', '2026')
    await page.getByLabel('Example', { exact: true }).fill(mended)
    expect(await page.getByText('The example is not valid by this schema:').count()).to.equal(0)
    const [checkButton, valid] = [
      page.getByRole('button', { name: 'Check the example' }),
      page.getByText('The example is valid by this schema.'),
    ]
    // The answer is about the text before.
    await whileHeldBack(page, '**/api/**', {
      ask: () => checkButton.click(),
      work: () => page.getByLabel('Example', { exact: true }).fill(`${mended} `),
    })
    await page.waitForLoadState('networkidle')
    expect(await valid.count()).to.equal(0)
    await checkButton.click()
    await valid.waitFor()
    // The answer is about the schema before.
    await page.locator('.cm-content').press('End')
    await page.locator('.cm-content').press('Space')
    await valid.waitFor({ state: 'detached' })
    await checkButton.click()
    await valid.waitFor()
    await page.getByRole('button', { name: 'Register the schema' }).click()

    await page.waitForURL('**/app/schemas/metadata')
    const { body } = await service.http.get('/api/v2/schemas/metadata/files').expect(200)
    expect(body.files).to.have.members(['include/title.xsd', 'include/year.xsd'])
  })

  it('20. loses the network while registering, closes the page, opens it again: text and files are offered, once, and stored', async () => {
    const folder = await filesIn(kernel)
    const { page, check, faults } = await open('schemas/new', { expected: /^404 .*schemas.kernel-20/ })
    await dropFiles(page, 'Files of the schema', [join(folder, 'kernel')])
    await page.getByText('The server can use this schema.').waitFor()
    const title = page.getByRole('textbox', { name: 'Title' })
    await title.fill('Kernel 20')
    await page.getByLabel('Name in addresses (id)').fill('kernel-20')
    await page.context().setOffline(true)
    await page.locator('.cm-content').focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('<!-- typed offline -->')
    await page.getByRole('button', { name: 'Register the schema' }).click()
    await page.getByText('The connection was lost while the schema was being registered.').waitFor()
    const isKept = `Object.values(localStorage).some(value => value.includes('typed offline'))`
    await waitUntil('the draft', async () => await page.evaluate<boolean>(isKept))
    await page.context().setOffline(false)

    await page.goto(`${origin}/app/drafts`)
    await page.getByText('a new schema').waitFor()
    await check()
    await page.getByRole('link', { name: 'Kernel 20' }).click()
    await page.getByText('This browser has kept a text that you have not stored').waitFor()
    await check()
    await page.getByRole('button', { name: 'Continue with it' }).click()
    await page.getByText('The server can use this schema.').waitFor()
    expect(await title.inputValue()).to.equal('Kernel 20')
    expect(await page.getByLabel('kernel/metadata.xsd').isChecked()).to.equal(true)
    await page.getByRole('button', { name: 'Register the schema' }).click()

    await page.waitForURL('**/app/schemas/kernel-20')
    const { text } = await service.http.get('/api/v2/schemas/kernel-20').buffer(true).expect(200)
    expect(text).to.equal(`${kernel['kernel/metadata.xsd']}<!-- typed offline -->`)
    const { body } = await service.http.get('/api/v2/schemas/kernel-20/files').expect(200)
    expect(body.files).to.have.members(['include/title.xsd', 'include/year.xsd'])
    await page.goto(`${origin}/app/schemas/new`)
    await page.locator('.cm-content').waitFor()
    expect(await page.getByText('This browser has kept').count()).to.equal(0)
    expect(await page.evaluate('localStorage.length')).to.equal(0)
    expect(faults).to.deep.equal([])
  })

  it('20. is not offered a schema that was registered before its answer was lost', async () => {
    const { page } = await open('schemas/new')
    await page.getByLabel('Name in addresses (id)').fill('lost')
    await page.locator('.cm-content').fill(rods)
    await page.getByText('The server can use this schema.').waitFor()
    // The request arrives, the answer does not.
    await page.route('**/api/v2/schemas', async route => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Register the schema' }).click()
    await page.getByText('The connection was lost while the schema was being registered.').waitFor()
    await waitUntil('the draft', async () => (await page.evaluate('localStorage.length')) === 1)

    await page.goto(`${origin}/app/schemas/new`)

    await page.locator('.cm-content').waitFor()
    expect(await page.evaluate('localStorage.length')).to.equal(0)
    expect((await service.http.get('/api/v2/schemas/lost').buffer(true).expect(200)).text).to.equal(rods)
  })

  it('18. sees what a new version would break as it is found, stops, and decides', async () => {
    const series = { type: 'object', properties: { values: { type: 'array' } } }
    await service.postSchema({ schemaId: 'series' }, JSON.stringify(series)).expect(201)
    // A document that is checked at once, then many that take long.
    const long = JSON.stringify({ values: Array.from({ length: 20_000 }, (_, index) => index) })
    const documents = Array.from({ length: 40 }, (_, index) => [`b${index}`, long] as const)
    for (const [id, text] of [['a', '{"name":1}'] as const, ...documents])
      await service
        .postMetadata(metadataRecordV1(`https://example.org/${id}`, 'series', { id }), text)
        .expect(201)
    const { page, check } = await open('schemas/series/edit')
    const slow = {
      ...series,
      properties: {
        name: { type: 'string' },
        values: {
          items: {
            anyOf: Array.from({ length: 60 }, (_, index) => ({ type: 'number', multipleOf: 60 - index })),
          },
        },
      },
    }
    await page.locator('.cm-content').fill(JSON.stringify(slow))

    await page.getByRole('button', { name: 'Store as version 2' }).click()

    const report = page.getByRole('region', { name: 'What would break' })
    await report.getByRole('link', { name: 'a', exact: true }).waitFor()
    expect(await report.innerText())
      .to.contain('would break')
      .and.contain('/name: The schema wants a text here. must be string')
    await report.getByRole('button', { name: 'Stop' }).click()
    await report.getByText(/^Stopped\. \d+ of 41 documents checked, 1 would break\.$/).waitFor()
    await check()
    expect((await service.http.get('/api/v2/schemas/series/versions')).body).to.have.lengthOf(1)
    await page.getByRole('button', { name: '1 document would break' }).click()
    await report.locator('xpath=..').and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Store as version 2 all the same' }).click()
    await page.getByText('Stored as version 2.').waitFor()
    await check()
  })

  it('18. stores at once what would break nothing, with another title, and keeps the files that are stored', async () => {
    const files = { 'parts/length.json': '{"type":"number"}' }
    const whole = '{"properties":{"length":{"$ref":"parts/length.json"}}}'
    await service.postSchema({ schemaId: 'parts', title: 'Parts' }, whole, files).expect(201)
    const { page, check } = await open('schemas/parts/edit')
    await page.getByLabel('Title').fill('All parts')
    await page.locator('.cm-content').fill(whole.replace('{"prop', '{"type":"object","prop'))

    await page.getByLabel('What did you change?').fill('Only objects')
    const bar = page.getByRole('region', { name: 'Store and check' })
    await bar.getByRole('button', { name: 'See what would break' }).click()
    await page
      .getByRole('region', { name: 'What would break' })
      .getByText('No document follows this schema yet.')
      .waitFor()
    await bar.getByRole('button', { name: 'Store as version 2', exact: true }).click()

    await bar.getByText('Stored as version 2.').waitFor()
    await check()
    const versions = (await service.http.get('/api/v2/schemas/parts/versions').expect(200)).body
    expect(versions[0].message).to.equal('Only objects')
    const { body } = await service.http.get('/api/v2/schemas/parts/files').expect(200)
    expect(body.files).to.deep.equal(['parts/length.json'])
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Edit All parts' }).waitFor()
  })

  it('gives a file while a version is stored: it is there for the next one', async () => {
    await service.postSchema({ schemaId: 'sets' }, '{"type":"object"}').expect(201)
    const { page } = await open('schemas/sets/edit')
    const parts = (...names: readonly string[]) =>
      JSON.stringify({
        properties: Object.fromEntries(names.map(name => [name, { $ref: `parts/${name}.json` }])),
      })
    const number = '{"type":"number"}'
    const first = await filesIn({ 'set/main.json': parts('length'), 'set/parts/length.json': number })
    const more = await filesIn({ 'set/parts/width.json': number })
    await dropFiles(page, 'Files of the schema', [join(first, 'set')])
    const given = page.getByRole('radio', { name: 'set/parts/width.json' })

    await whileHeldBack(page, '**/api/v2/schemas/sets', {
      method: 'PUT',
      ask: () => page.getByRole('button', { name: 'Store as version 2' }).click(),
      async work() {
        await dropFiles(page, 'Files of the schema', [join(more, 'set')])
        await given.waitFor()
      },
    })
    await page.getByText('Stored as version 2.').waitFor()
    await page.locator('.cm-content').fill(parts('length', 'width'))
    await page.getByRole('button', { name: 'Store as version 3' }).click()

    await page.getByText('Stored as version 3.').waitFor()
    await given.waitFor({ state: 'detached' })
    const { body } = await service.http.get('/api/v2/schemas/sets/files').expect(200)
    expect(body.files).to.deep.equal(['parts/length.json', 'parts/width.json'])
  })

  it('6. tries an example by the next version: a change of that version needs another trial', async () => {
    await service.postSchema({ schemaId: 'examples' }, '{"type":"object"}').expect(201)
    const { page } = await open('schemas/examples/edit')
    await page.getByText('Try it on an example document').click()
    await page.getByLabel('Example', { exact: true }).fill('{"name":1}')
    await page.getByRole('button', { name: 'Check the example' }).click()
    const valid = page.getByText('The example is valid by this schema.')
    await valid.waitFor()

    await page.locator('.cm-content').fill('{"type":"object","properties":{"name":{"type":"string"}}}')

    await valid.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Check the example' }).click()
    await page.getByText('The example is not valid by this schema:').waitFor()
    await page.locator('.cm-content').press('Space')
    await page.getByText('The example is not valid by this schema:').waitFor({ state: 'detached' })
  })

  it('503, no network: nothing half-typed is stored by itself, and trying again asks first what would break', async () => {
    await service.postSchema({ schemaId: 'tried' }, '{"type":"object"}').expect(201)
    await service
      .postMetadata(metadataRecordV1('https://example.org/tried', 'tried'), '{"name":1}')
      .expect(201)
    const { page } = await open('schemas/tried/edit', { expected: /^503 / })
    const answers = [
      (route: Route) => route.fulfill({ status: 503, headers: { 'Retry-After': '600' }, body: '' }),
      (route: Route) => route.abort(),
    ]
    await page.route('**/api/v2/schemas/tried', route =>
      route.request().method() === 'PUT' ? answers.shift()?.(route) : route.continue(),
    )
    await page.locator('.cm-content').fill('{ "type": "object" }')
    await page.getByRole('button', { name: 'Store as version 2' }).click()
    await page.getByRole('timer').waitFor()
    await page.getByLabel('Title').fill('Half a ti')
    await page.getByRole('timer').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Store as version 2/ }).click()
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.locator('.cm-content').fill('{"type":"object","properties":{"name":{"type":"string"}}}')

    await again.click()

    await page.getByRole('button', { name: '1 document would break' }).waitFor()
    expect((await service.http.get('/api/v2/schemas/tried/versions')).body).to.have.lengthOf(1)
  })

  it('sees on a page of its own which documents the newest version would break, and opens one to edit', async () => {
    await service.postSchema({ schemaId: 'bolts' }, '{"type":"object"}').expect(201)
    const record = metadataRecordV1('https://example.org/bolt', 'bolts', { id: 'bolt' })
    await service.postMetadata(record, '{"title":"Long bolt","size":"M8"}').expect(201)
    const stricter = '{"type":"object","properties":{"size":{"type":"number"}}}'
    await service.putSchema('bolts', '*', undefined, stricter).expect(200)
    const { page, check } = await browser.open(origin)
    await page.goto(`${origin}/schema-landing-page?schemaId=bolts`)

    await page.getByRole('link', { name: 'What would break' }).click()

    await page.getByText('All checked. 1 of 1 documents checked, 1 would break.').waitFor()
    await page.getByRole('listitem').getByText('The schema wants a number here. must be number').waitFor()
    const link = page.getByRole('link', { name: 'Long bolt', exact: true })
    await link.waitFor()
    await page.getByText('bolt', { exact: true }).waitFor()
    await check()
    await link.click()
    await page.waitForURL('**/app/metadata/bolt/edit')
  })
})

/** Writes files into a new folder. @returns its path */
async function filesIn(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}
