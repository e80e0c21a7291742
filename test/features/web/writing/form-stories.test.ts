import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { type ServiceWithHistory, serviceWithHistory } from '../../../support/browser/example-history.js'
import { describeInBrowser, type OpenOptions } from '../../../support/browser/open-browser.js'
import { ways } from '../../../support/browser/ways-of-input.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

/** A fault of the program at one field, when its place is looked at. */
const failingField = `const findLast = Array.prototype.findLast
Array.prototype.findLast = function (...given) {
  if (this.length === 1 && this[0] === 'name') throw new Error('This field fails.')
  return findLast.apply(this, given)
}`

/** A schema with what forms draw: groups, lists, choices, values, conditions, and a part that they cannot draw. */
const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Sample',
  type: 'object',
  properties: {
    name: { title: 'Name', description: 'How people call it.', type: 'string', minLength: 2 },
    serial: { title: 'Serial number', type: 'integer' },
    kind: { title: 'Kind of sample', enum: ['rod', 'plate'] },
    isBroken: { title: 'Broken', type: 'boolean' },
    size: {
      title: 'Size',
      type: 'object',
      properties: {
        value: { title: 'Value', type: 'number', minimum: 0 },
        unit: { title: 'Unit', const: 'mm' },
      },
      required: ['value'],
    },
    owners: {
      title: 'Owners',
      type: 'array',
      items: {
        title: 'Owner',
        oneOf: [
          {
            title: 'A person',
            type: 'object',
            properties: { family: { type: 'string' } },
            required: ['family'],
          },
          { title: 'A text', type: 'string' },
        ],
      },
    },
    anything: { title: 'Anything' },
  },
  required: ['name', 'size'],
  if: { properties: { kind: { const: 'plate' } }, required: ['kind'] },
  // biome-ignore lint/suspicious/noThenProperty: The keyword of JSON Schema.
  then: { properties: { thickness: { title: 'Thickness', type: 'number' } }, required: ['thickness'] },
}

const odd =
  '{"serial" :  12345678901234567890,\r\n\t"name":"Rod A" ,"size":{ "value" : 1.0 },\r\n\t"owners": ["Ada"], "other": {"a":1}\r\n}'

function recordFor(schemaId: string): object {
  return {
    schema: { identifier: schemaId, identifierType: 'INTERNAL' },
    relatedResource: { identifier: `https://example.org/${schemaId}`, identifierType: 'URL' },
  }
}

describeInBrowser('a person who edits a document with a form', browser => {
  let history: ServiceWithHistory
  beforeEach(async () => {
    history = await serviceWithHistory()
    const { service } = history
    await service.postSchema({ schemaId: 'samples' }, JSON.stringify(schema)).expect(201)
    const record = { id: 'sample', ...recordFor('samples') }
    await service.postMetadata(record, odd).expect(201)
  })
  afterEach(removeRepositories)

  const stored = async () => (await history.service.http.get('/api/v2/metadata/sample').buffer(true)).text

  async function openForm(options: OpenOptions = {}) {
    const watched = await browser.open(history.origin, options)
    await watched.page.goto(`${history.origin}/app/metadata/sample/edit`)
    await watched.page.getByLabel('Name').waitFor()
    return watched
  }

  async function store(page: Page) {
    await page.getByRole('button', { name: 'Store as version 2' }).click()
    await page.getByText('Stored as version 2.').waitFor()
  }

  it('8. changes one field of a document with long numbers and odd spacing: the other bytes stay', async () => {
    const { page, check } = await openForm()
    expect(await page.getByLabel('Serial number').inputValue()).to.equal('12345678901234567890')

    await page.getByLabel('Name').fill('Rod B')
    await page.getByLabel('Value').fill('2.50')
    await check()
    await store(page)

    expect(await stored()).to.equal(odd.replace('Rod A', 'Rod B').replace('1.0', '2.50'))
  })

  for (const { name: way, options, activate } of ways) {
    it(`7. 422: leaves out what is required, stores: the focus is at the findings, each beside its field, ${way}`, async () => {
      const { page, check } = await openForm({ ...options, expected: /^422 / })
      await page.getByLabel('Name').fill('R')
      await page.getByLabel('Value').fill('-1')

      await activate(page, page.getByRole('button', { name: 'Store as version 2' }))

      // A check that ran before may have shown the findings already.
      await page.locator(':focus', { hasText: /^The server has 2 findings:$/ }).waitFor()
      const about = async (label: string) => {
        const field = page.getByLabel(label)
        expect(await field.getAttribute('aria-invalid')).to.equal('true')
        return await page.locator(`[id="${await field.getAttribute('aria-describedby')}"]`).innerText()
      }
      expect(await about('Name'))
        .to.contain('must NOT have fewer than 2 characters')
        .and.contain('How people call it.')
      expect(await about('Value')).to.contain('must be >= 0')
      await check()
      await activate(
        page,
        page.getByRole('region', { name: 'What the server found' }).getByRole('button').nth(1),
      )
      expect(await page.locator(':focus').getAttribute('id')).to.equal(
        await page.getByLabel('Value').getAttribute('id'),
      )
      expect(await stored()).to.equal(odd)
    })
  }

  it('sees at the bottom of the window what came of storing, which covers no field that has the focus', async () => {
    const { page, check } = await openForm({ viewport: { width: 320, height: 256 }, expected: /^4(12|22) / })
    const bar = page.getByRole('region', { name: 'Store and check' })
    const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? { y: Number.NaN, height: 0 }
    await page.getByLabel('Name').fill('Rod B')
    for (let fields = 0; fields < 12; fields++) {
      await page.keyboard.press('Tab')
      const focused = page.locator(':focus')
      if ((await bar.locator(':focus').count()) > 0) break
      const { y, height } = await boxOf(focused)
      // Positions have fractions of pixels.
      expect(Math.floor(y + Math.min(height, 100)), await focused.innerText()).to.be.at.most(
        Math.ceil((await boxOf(bar)).y),
      )
    }
    await history.service.http
      .put('/api/v1/metadata/sample')
      .set('If-Match', '*')
      .attach('document', Buffer.from(odd.replace('Ada', 'Eve')), 'document')
      .expect(200)
    await bar.getByRole('button', { name: 'Store as version 2' }).click()

    await bar.getByText('Stored as version 3. Version 2 by someone without a login changed Owners.').waitFor()
    await bar.getByRole('button', { name: 'Store as version 4' }).and(page.locator(':focus')).waitFor()
    expect(await stored()).to.equal(odd.replace('Ada', 'Eve').replace('Rod A', 'Rod B'))
    expect((await boxOf(bar)).height).to.be.at.most(100)
    await check()

    await page.getByLabel('Name').fill('R')
    await bar.getByRole('button', { name: 'Store as version 4' }).click()
    await bar.getByRole('button', { name: 'See the finding' }).click()
    await page
      .getByRole('region', { name: 'What the server found' })
      .getByRole('button', { name: 'Name' })
      .click()
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor()
  })

  it('11. not JSON: switches between form and text and back: nothing is lost, and a broken text closes the form with its last good state', async () => {
    // On a slow machine, the text is checked while it is broken.
    const { page, check } = await openForm({ expected: /^422 .*validate/ })
    await page.getByLabel('Name').fill('Rod "C"')
    await page.getByLabel('Anything').fill('{ "free": [1.0, 2] }')

    await page.getByRole('button', { name: 'As text' }).click()
    await page.locator('.cm-content').waitFor()
    expect(await page.locator('.cm-content').innerText())
      .to.contain('"name":"Rod \\"C\\""')
      .and.contain('{ "free": [1.0, 2] }')
    await check()
    await page.locator('.cm-content').press('Control+End')
    await page.keyboard.type('x')
    await page.getByRole('button', { name: 'As form' }).click()
    await page.getByText(/cannot be shown as a form: line \d+, column 2: this is no JSON/).waitFor()
    // The last good state, which cannot be changed.
    await page.getByText('These are the fields as they were before.').waitFor()
    expect(await page.getByLabel('Name').inputValue()).to.equal('Rod "C"')
    expect(await page.getByLabel('Name').isDisabled()).to.equal(true)
    await check()
    await page.getByRole('button', { name: 'As text' }).click()
    await page.locator('.cm-content').press('Control+End')
    await page.keyboard.press('Backspace')
    await page.getByRole('button', { name: 'As form' }).click()
    await page.getByRole('group', { name: 'Free' }).getByRole('textbox').first().waitFor()
    await store(page)
    expect(JSON.parse(await stored())).to.deep.include({ name: 'Rod "C"', anything: { free: [1, 2] } })
  })

  it('chooses values, adds, moves and removes items, and sees the fields that a value asks for', async () => {
    // What is half chosen may be checked.
    const { page, check } = await openForm({ expected: /^422 .*validate/ })

    await page.getByLabel('Kind of sample').selectOption('plate')
    await page.getByLabel('Thickness').fill('0.5')
    await page.getByLabel('Broken').selectOption('Yes')
    await page.getByLabel('Unit').selectOption('mm')
    await page.getByRole('button', { name: 'Add to Owners' }).click()
    await page.getByLabel('Family').fill('Lovelace')
    await page.getByRole('button', { name: 'Move item 2 of Owners up' }).click()
    await check()
    await store(page)

    const added = JSON.parse(await stored()) as object
    expect(added).to.deep.include({ kind: 'plate', thickness: 0.5, isBroken: true })
    expect(added).to.deep.include({ size: { value: 1, unit: 'mm' }, owners: [{ family: 'Lovelace' }, 'Ada'] })
    await page.getByRole('button', { name: 'Remove item 2 of Owners' }).click()
    await page.getByLabel('Kind of sample').selectOption('Not stated')
    await page.getByRole('button', { name: 'Store as version 3' }).click()
    await page.getByText('Stored as version 3.').waitFor()
    expect(JSON.parse(await stored())).to.not.have.property('kind')
    expect(JSON.parse(await stored())).to.deep.include({ owners: [{ family: 'Lovelace' }], other: { a: 1 } })
    await check()
  })

  it('a field that cannot be drawn: it is text with its findings, and the rest is a form', async () => {
    const { page, check } = await browser.open(history.origin, { expected: /^422 / })
    await page.addInitScript(failingField)
    await page.goto(`${history.origin}/app/metadata/sample/edit`)

    await page.getByText('This part of the schema cannot be shown as fields. Write JSON.').waitFor()
    await page.getByLabel('Serial number').fill('17')
    await page.getByLabel('Name').fill('5')
    await check()
    await page.getByRole('button', { name: 'Store as version 2' }).click()
    await page.getByRole('button', { name: 'See the finding' }).waitFor()
    expect(
      await page
        .locator('.field')
        .filter({ has: page.getByLabel('Name') })
        .last()
        .innerText(),
    ).to.contain('string')
    await page.getByLabel('Name').fill('"Rod as text"')
    await store(page)

    expect(await stored()).to.equal(
      odd.replace('12345678901234567890', '17').replace('"Rod A"', '"Rod as text"'),
    )
    await check()
  })

  it('has the fields of a schema in several files', async () => {
    const person = JSON.stringify({
      type: 'object',
      properties: { name: { title: 'Full name', type: 'string' } },
    })
    const main = JSON.stringify({ type: 'object', properties: { owner: { $ref: 'person.json' } } })
    await history.service
      .postSchema({ schemaId: 'owned' }, main)
      .attach('include', Buffer.from(person), 'person.json')
      .expect(201)
    const record = { id: 'owned-sample', ...recordFor('owned') }
    await history.service.postMetadata(record, '{"owner":{"name":"Ada"}}').expect(201)
    const { page, check } = await browser.open(history.origin)

    await page.goto(`${history.origin}/app/metadata/owned-sample/edit`)

    await page.getByLabel('Full name').fill('Ada Lovelace')
    await check()
    await page.getByRole('button', { name: 'Store as version 2' }).click()
    await page.getByText('Stored as version 2.').waitFor()
    const { text } = await history.service.http.get('/api/v2/metadata/owned-sample').buffer(true)
    expect(text).to.equal('{"owner":{"name":"Ada Lovelace"}}')
  })

  it('never takes a text of the schema or the document for markup', async () => {
    const markup = '<img src=x onerror="document.title=1">'
    const hostile = {
      type: 'object',
      title: markup,
      properties: { [markup]: { title: markup, description: markup, enum: [markup] } },
    }
    await history.service.postSchema({ schemaId: 'hostile' }, JSON.stringify(hostile)).expect(201)
    const record = { id: 'markup', ...recordFor('hostile') }
    await history.service.postMetadata(record, JSON.stringify({ [markup]: markup })).expect(201)
    const { page, check } = await browser.open(history.origin)

    await page.goto(`${history.origin}/app/metadata/markup/edit`)

    await page.getByLabel(markup).waitFor()
    expect(await page.locator('img').count()).to.equal(0)
    await check()
  })
})
