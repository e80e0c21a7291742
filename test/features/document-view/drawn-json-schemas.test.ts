import { expect } from 'chai'
import { readHtml } from '../../support/http/strict-html.js'
import { metadataRecordV1, startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('a JSON schema on its page', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(removeRepositories)

  let number = 0
  async function openNew(schema: object, files: Readonly<Record<string, string>> = {}) {
    const schemaId = `schema-${++number}`
    await service.postSchema({ schemaId }, JSON.stringify(schema), files).expect(201)
    const answer = await service.http
      .get(`/schema-landing-page?schemaId=${schemaId}`)
      .set('Accept', 'text/html')
      .expect(200)
    const { text, elements } = readHtml(answer.text)
    const [drawn = ''] =
      /<div class="drawn schema">[\s\S]*?(?=<details class="as-text">)/.exec(answer.text) ?? []
    const shown =
      drawn === ''
        ? ''
        : readHtml(`<!DOCTYPE html>\n${drawn.replace(/<\/(?=d[dtiv]|li|summary)/g, ' </')}`).text.replace(
            /\s+/g,
            ' ',
          )
    const [, code = ''] = /<code>(\{[\s\S]*?)<\/code><\/pre><\/details>/.exec(drawn) ?? []
    return { schemaId, text, elements, shown, skeleton: code && readHtml(`<!DOCTYPE html>\n${code}`).text }
  }

  for (const [draft, definitions] of [
    ['http://json-schema.org/draft-04/schema#', 'definitions'],
    ['http://json-schema.org/draft-06/schema#', 'definitions'],
    ['http://json-schema.org/draft-07/schema#', 'definitions'],
    ['https://json-schema.org/draft/2019-09/schema', '$defs'],
    ['https://json-schema.org/draft/2020-12/schema', '$defs'],
  ] as const) {
    it(`is a tree of its members: ${draft}`, async () => {
      const { shown } = await openNew({
        $schema: draft,
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', title: 'Sample name', description: 'As on the label.', maxLength: 40 },
          phase: { enum: ['solid', 'liquid'] },
          parts: { type: 'array', minItems: 1, items: { $ref: `#/${definitions}/part` } },
        },
        [definitions]: { part: { type: 'object', properties: { mass: { type: 'number', minimum: 0 } } } },
      })

      expect(shown).to.contain('Sample name name text, required').and.contain('As on the label.')
      expect(shown).to.contain('at most 40 characters')
      expect(shown).to.contain('One of: solid, liquid')
      expect(shown).to.contain('Parts parts list of: group, at least 1 entry')
      expect(shown).to.contain('Mass mass number, optional').and.contain('at least 0')
    })
  }

  it('shows examples and alternatives, and links where it repeats itself', async () => {
    const { shown, elements } = await openNew({
      properties: {
        id: { type: 'string', examples: ['S-17'] },
        shape: {
          oneOf: [
            { title: 'Circle', properties: { r: {} } },
            { title: 'Square', properties: { a: {} } },
          ],
        },
        first: { $ref: '#/$defs/tree' },
        second: { $ref: '#/$defs/tree' },
      },
      $defs: { tree: { properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } } } },
    })

    expect(shown).to.contain('For example: S-17')
    expect(shown).to.contain('One of these: Circle').and.contain('Square')
    const targets = elements.flatMap(({ name, attributes }) => (name === 'a' ? [attributes.href ?? ''] : []))
    const repeated = targets.filter(target => target.startsWith('#part-'))
    expect(repeated).to.have.length(2)
    for (const target of repeated)
      expect(elements.some(({ attributes }) => `#${attributes.id}` === target)).to.equal(true)
  })

  it('follows references into its files', async () => {
    const { shown } = await openNew(
      { properties: { who: { $ref: 'folder/person.json#/$defs/person' } } },
      {
        'folder/person.json': JSON.stringify({
          $defs: { person: { properties: { mail: { $ref: 'mail.json' } } } },
        }),
        'folder/mail.json': JSON.stringify({ title: 'Address for letters', type: 'string' }),
      },
    )

    expect(shown).to.contain('Address for letters mail text, optional')
  })

  it('gives a document to start from, which is valid', async () => {
    const { schemaId, skeleton } = await openNew({
      type: 'object',
      required: ['kind', 'name', 'samples', 'size'],
      properties: {
        kind: { const: 'report' },
        name: { type: 'string' },
        note: { type: 'string' },
        size: { type: 'object', required: ['width'], properties: { width: { type: 'number' } } },
        samples: {
          type: 'array',
          items: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } },
        },
      },
    })

    expect(JSON.parse(skeleton)).to.deep.equal({
      kind: 'report',
      name: '',
      samples: [{ ok: false }],
      size: { width: 0 },
    })
    const record = metadataRecordV1('https://example.org/skeleton', schemaId, { id: 'skeleton' })
    await service.postMetadata(record, skeleton).expect(201)
  })

  it('shows its text alone if it declares nothing', async () => {
    const { shown, text } = await openNew({ type: 'object' })
    expect(shown).to.equal('')
    expect(text).to.contain('"type": "object"')
  })
})
