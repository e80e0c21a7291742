import { expect } from 'chai'
import { describeDocument } from '../../../../src/features/crosswalks/describe-document.js'
import { knownSchemaOfSchema } from '../../../../src/features/crosswalks/known/known-schema-of-schema.js'
import { searchHasAll } from '../../../support/http/search-examples.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../../support/http/test-service.js'
import { anyone, ownerOf, startWithSets, told } from '../../../support/oai-pmh/stored-set-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'
import { describeEngines } from '../../../support/search/search-engines.js'

const cffAddress = 'https://citation-file-format.github.io/1.2.0/schema.json'
const draft07 = 'http://json-schema.org/draft-07/schema#'
const cffSchema = JSON.stringify({ $schema: draft07, $id: cffAddress, type: 'object' })
/** A document of the Citation File Format without `cff-version`. */
const citation = JSON.stringify({
  title: 'Creep solver',
  authors: [{ 'given-names': 'Jane', 'family-names': 'Doe' }],
  'date-released': '1987-05-04',
  license: 'MIT',
})

const known = (schema: object) => knownSchemaOfSchema(Buffer.from(JSON.stringify(schema)), 'JSON')?.name

describe('A known schema of documents, by their JSON Schema', () => {
  it('is told by its official address', () => {
    const names = {
      [cffAddress]: 'Citation File Format',
      'https://schemas.stacspec.org/v1.0.0/item-spec/json-schema/item.json#': 'STAC',
      'https://schemas.stacspec.org/v1.0.0/collection-spec/json-schema/collection.json': 'STAC',
      'https://datapackage.org/profiles/2.0/datapackage.json': 'Frictionless data package',
      'https://specs.frictionlessdata.io/schemas/data-package.json': 'Frictionless data package',
      'datacite-v4.3.json': 'DataCite (JSON)',
      'https://raw.githubusercontent.com/datacite/schema/master/source/json/kernel-4.3/datacite_4.3_schema.json':
        'DataCite (JSON)',
      'datacite-v4.1.json': 'DataCite (JSON before 4.2)',
      'https://w3id.org/codemeta/3.0': 'CodeMeta',
      'https://doi.org/10.5063/schema/codemeta-2.0': 'CodeMeta',
      'https://w3id.org/ro/crate/1.1': 'RO-Crate',
      'https://schema.org/Dataset': 'schema.org and Bioschemas',
      'https://bioschemas.org/profiles/Dataset/1.0-RELEASE': 'schema.org and Bioschemas',
      'https://example.org/dcat-ap/dataset.schema.json': 'DCAT-AP',
    }
    expect(Object.keys(names).map(name => known({ $id: name }))).to.deep.equal(Object.values(names))
    expect(Object.keys(names).map(name => known({ id: name }))).to.deep.equal(Object.values(names))
  })

  it('is told by a reference to it, which adds rules to the known schema', () => {
    expect(known({ $id: 'https://example.org/own', $ref: cffAddress })).to.equal('Citation File Format')
    expect(known({ allOf: [{ required: ['doi'] }, { $ref: cffAddress }] })).to.equal('Citation File Format')
    // Only a part of its documents follows the schema, or documents need not follow it.
    expect(known({ properties: { software: { $ref: cffAddress } } })).to.equal(undefined)
    expect(known({ anyOf: [{ $ref: cffAddress }, { type: 'string' }] })).to.equal(undefined)
  })

  it('is none of others', () => {
    const others = [
      'https://example.org/my-datacite-schema/creep.json',
      'https://example.org/citation-file-format.github.io/',
      'https://schema.org/',
      'https://json.schemastore.org/package.json',
      'https://example.org/stac-item.json',
    ]
    for (const name of others) expect(known({ $id: name }), name).to.equal(undefined)
    for (const text of ['', '[]', '{"$id":7}', '{"allOf":7}', '{"allOf":[null]}', '"x"'])
      expect(knownSchemaOfSchema(Buffer.from(text), 'JSON'), text).to.equal(undefined)
    expect(knownSchemaOfSchema(Buffer.from(cffSchema), 'XML')).to.equal(undefined)
    expect(knownSchemaOfSchema(Buffer.from(cffSchema + ' '.repeat(2 ** 20)), 'JSON')).to.equal(undefined)
  })

  it('gives way to the signs that a document bears', () => {
    const schema = knownSchemaOfSchema(Buffer.from(cffSchema), 'JSON')
    const stac = { stac_version: '1.0.0', id: 's', properties: { title: 'A scene' }, 'date-released': '1987' }
    const description = describeDocument(Buffer.from(JSON.stringify(stac)), 'JSON', undefined, schema)
    expect(description.titles).to.deep.equal([{ value: { title: 'A scene' }, path: 'properties.title' }])
    expect(description.publicationYear).to.equal(undefined)
  })
})

describeEngines(
  'A document without a sign of its schema, whose schema has the $id of a known one',
  engine => {
    let service: TestService

    before(async () => {
      service = await startService(engine.options)
      await service.postSchema({ schemaId: 'cff', type: 'JSON' }, cffSchema).expect(201)
      await service.http
        .post('/api/v2/schemas')
        .attach(
          'record',
          Buffer.from(JSON.stringify({ id: 'cff-2', titles: [{ value: 'Citations' }] })),
          'record.json',
        )
        .attach('schema', Buffer.from(cffSchema), 'schema.json')
        .expect(201)
      await service.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
      for (const schema of ['cff', 'cff-2', 'plain'])
        await service
          .postMetadata(
            metadataRecordV1(`https://example.org/${schema}`, schema, { id: `of-${schema}` }),
            citation,
          )
          .expect(201)
      await searchHasAll(service)
    })
    after(removeRepositories)

    const descriptionOf = async (id: string) =>
      (await service.http.get(`/api/v1/metadata/${id}/description`).expect(200)).body as {
        readonly creators: readonly { readonly name: string }[]
        readonly publicationYear: string
        readonly sources: Readonly<Record<string, unknown>>
      }
    const found = async (q: string) => {
      const { body } = await service.http.get('/api/v1/search').query({ q, sort: 'id' }).expect(200)
      return (body as { items: readonly { record: { id: string } }[] }).items.map(({ record }) => record.id)
    }
    async function putSchema(record: object, document?: string): Promise<void> {
      const etag = etagOf(await service.http.get('/api/v1/schemas/cff').expect(200))
      await service.putSchema('cff', etag, record, document).expect(200)
      await searchHasAll(service)
    }

    it('has the built-in crosswalk, whichever interface the schema came by', async () => {
      for (const id of ['of-cff', 'of-cff-2']) {
        const { creators, publicationYear, sources } = await descriptionOf(id)
        expect(creators).to.deep.equal([
          { name: 'Doe, Jane', nameType: 'Personal', givenName: 'Jane', familyName: 'Doe' },
        ])
        expect(publicationYear).to.equal('1987')
        expect(sources['/creators/0']).to.deep.equal({ from: 'document', path: 'authors[0]' })
      }
      expect((await descriptionOf('of-plain')).publicationYear).to.not.equal('1987')
    })

    it('is found by it', async () => {
      expect(await found('creator:"Doe, Jane"')).to.deep.equal(['of-cff', 'of-cff-2'])
      expect(await found('year:1987')).to.deep.equal(['of-cff', 'of-cff-2'])
    })

    if (engine.name === 'embedded') {
      it('is found by it in the past', async () => {
        const commit = await service.head()
        const etag = etagOf(await service.http.get('/api/v1/metadata/of-cff').expect(200))
        await service.putMetadata('of-cff', etag, undefined, '{"title":"Another"}').expect(200)
        await searchHasAll(service)
        const { body } = await service.http
          .get('/api/v1/search')
          .query({ q: 'creator:"Doe, Jane"', sort: 'id', at: commit })
          .expect(200)
        const ids = (body as { items: readonly { record: { id: string } }[] }).items.map(
          each => each.record.id,
        )
        expect(ids).to.deep.equal(['of-cff', 'of-cff-2'])
        const now = etagOf(await service.http.get('/api/v1/metadata/of-cff').expect(200))
        await service.putMetadata('of-cff', now, undefined, citation).expect(200)
        await searchHasAll(service)
      })
    }

    it('has what the crosswalk of the schema does not say, in a trial, too', async () => {
      const { body } = await service.http
        .post('/api/v1/schemas/cff/crosswalk')
        .attach('crosswalk', Buffer.from('{"titles":{"constant":"A program"}}'), 'crosswalk.json')
        .expect(200)
      expect(body.without).to.deep.equal({ titles: 0, creators: 0, publicationYear: 0 })
      await putSchema({ crosswalk: { publicationYear: { constant: '2001' } } })
      const { creators, publicationYear } = await descriptionOf('of-cff')
      expect([creators[0]?.name, publicationYear]).to.deep.equal(['Doe, Jane', '2001'])
      expect(await found('creator:"Doe, Jane" year:2001')).to.deep.equal(['of-cff'])
      await putSchema({ crosswalk: {} })
    })

    it('follows its schema when a new version of it has the $id no longer, and again', async () => {
      const bibtex = async () =>
        (await service.http.get('/api/v1/metadata/of-cff/export/bibtex').expect(200)).text
      const before = await bibtex()
      const tags = new Map<string, string>()
      for (const path of ['/catalog.jsonld', '/api/v1/metadata/of-cff/export/bibtex'])
        tags.set(path, etagOf(await service.http.get(path).expect(200)))
      await putSchema({}, jsonSchema())
      expect(await found('creator:"Doe, Jane"')).to.deep.equal(['of-cff-2'])
      for (const [path, tag] of tags) await service.http.get(path).set('If-None-Match', tag).expect(200)
      expect(await bibtex()).to.not.equal(before)
      await putSchema({}, cffSchema)
      expect(await found('creator:"Doe, Jane"')).to.deep.equal(['of-cff', 'of-cff-2'])
      expect(await bibtex()).to.equal(before)
    })
  },
)

describe('A set of stored searches', () => {
  after(removeRepositories)

  it('follows a schema that gets and loses the $id of a known one', async () => {
    const started = await startWithSets([{ spec: 'jane', name: 'Jane', q: 'creator:"Doe, Jane"' }])
    const { service, owner } = started
    const putSchema = (document: string) =>
      service.putSchema('plain', '*', {}, document).auth(owner, { type: 'bearer' }).expect(200)
    await ownerOf(started).create('citation', citation, anyone)
    expect(await told(service, 'jane')).to.deep.equal([])
    await putSchema(cffSchema)
    expect(await told(service, 'jane')).to.deep.equal(['citation'])
    await putSchema(jsonSchema())
    expect(await told(service, 'jane')).to.deep.equal(['-citation'])
  })
})
