import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { startService, type TestService } from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const draft = 'https://json-schema.org/draft/2020-12/schema'

describe('The bundle of a JSON Schema', () => {
  let service: TestService

  beforeEach(async () => {
    service = await startService()
  })
  afterEach(removeRepositories)

  const post = (id: string, document: object, files: Readonly<Record<string, string>> = {}) =>
    service.postSchema({ schemaId: id }, JSON.stringify(document), files).expect(201)
  const bundleOf = async (id: string) =>
    (await service.http.get(`/api/v2/schemas/${id}/bundle`).expect(200)).body

  it('is one document that another validator reads, with files and registered schemas in it', async () => {
    await post('units', {
      $schema: draft,
      $id: 'https://example.org/units',
      $defs: { length: { $anchor: 'length', type: 'number', minimum: 0 } },
    })
    await post(
      'plate',
      {
        $schema: draft,
        $id: 'https://example.org/plate',
        properties: {
          width: { $ref: 'units#length' },
          part: { $ref: 'parts/part.json' },
          $id: { type: 'string' },
        },
        $defs: { 'parts/part.json': { description: 'Another thing of this name.' } },
      },
      {
        'parts/part.json': JSON.stringify({
          $schema: draft,
          properties: { parts: { items: { $ref: '#' } }, tone: { $ref: 'a b.json#/$defs/x~1y' } },
        }),
        'parts/a b.json': JSON.stringify({ $defs: { 'x/y': { const: 7 } } }),
      },
    )

    const bundle = await bundleOf('plate')

    expect(bundle).to.include({ $schema: draft, $id: 'https://example.org/plate' })
    expect(bundle.properties).to.have.property('$id')
    const validate = new Ajv2020({ strict: false }).compile(bundle)
    expect(validate({ width: 1, part: { parts: [{ tone: 7 }] } })).to.equal(true)
    expect(validate({ width: -1 })).to.equal(false)
    expect(validate({ part: { parts: [{ parts: [{ tone: 8 }] }] } })).to.equal(false)
  })

  it('keeps bytes that have no reference: numbers that no double holds', async () => {
    await service
      .postSchema({ schemaId: 'long' }, '{"properties":{"id":{"const":12345678901234567890}}}')
      .expect(201)

    const { text } = await service.http.get('/api/v1/schemas/long/bundle').expect(200)

    expect(text).to.equal('{"properties":{"id":{"const":12345678901234567890}}}')
  })

  it('is refused for an XML schema, and where one document would mean something else', async () => {
    await service
      .postSchema({ schemaId: 'xml' }, '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>')
      .expect(201)
    await post(
      'drafts',
      { $schema: draft, $ref: 'old.json' },
      { 'old.json': '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}' },
    )
    const tree = {
      $schema: draft,
      $id: 'https://example.org/tree',
      $dynamicAnchor: 'node',
      properties: { children: { items: { $dynamicRef: '#node' } } },
    }
    await post(
      'dynamic',
      { $schema: draft, $dynamicAnchor: 'node', $ref: 'tree.json', unevaluatedProperties: false },
      { 'tree.json': JSON.stringify(tree) },
    )
    await post('single', { ...tree, $id: 'https://example.org/single' })

    for (const id of ['xml', 'drafts', 'dynamic'])
      await service.http.get(`/api/v1/schemas/${id}/bundle`).expect(422)
    expect((await bundleOf('single')).properties.children.items).to.deep.equal({ $ref: '#' })
  })

  it('tells nothing of a registered schema that the caller may not read, nor does the outline', async () => {
    service = await startService({ identify: identifyWithTestSecret })
    const owner = `Bearer ${await userToken('owner')}`
    const store = (id: string, document: object, acl: object) =>
      service
        .postSchema({ schemaId: id, acl }, JSON.stringify(document))
        .set('Authorization', owner)
        .expect(201)
    await store('secret', { properties: { hidden: { type: 'string' } } }, [])
    await store('open', { properties: { inner: { $ref: 'secret' } } }, [
      { sid: 'anonymousUser', permission: 'READ' },
    ])

    await service.http.get('/api/v1/schemas/open/bundle').expect(403)
    const { body, text } = await service.http.get('/api/v1/schemas/open/outline').expect(200)
    expect(body.complete).to.equal(false)
    expect(text).to.contain('inner').and.not.contain('hidden')
    const whole = await service.http
      .get('/api/v1/schemas/open/outline')
      .set('Authorization', owner)
      .expect(200)
    expect(whole.body.complete).to.equal(true)
    expect(whole.text).to.contain('hidden')
  })
})
