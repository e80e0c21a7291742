import { expect } from 'chai'
import type request from 'supertest'
import {
  apiClient,
  type Client,
  formFile,
  type Json,
  version1,
  version2,
} from '../../support/http/api-versions.js'
import {
  base,
  etagOf,
  jsonSchema,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/*
 * Rules of the contract for version 2, and differences of the two versions.
 * @see docs/contract.md#records-of-version-2; docs/contract.md#representations
 */

type Entry = { readonly id: number; readonly value: string; readonly relationType: string }

const citation = 'application/vnd.citation.org+json'
const contentInformation = 'application/vnd.datamanager.content-information+json'
const index = 'application/vnd.datamanager.acl+json'

describe('rules of version 2', () => {
  let service: TestService
  let client: Client
  let old: Client

  async function start(): Promise<void> {
    service = await startService()
    client = apiClient(service, version2())
    old = apiClient(service, version1())
    await client.postSchema('json', jsonSchema('title')).expect(201)
    await client.postSchema('xml', noteXsdText).expect(201)
  }

  const read = async (path: string) => JSON.parse((await client.record(path).expect(200)).text)
  const relations = (body: { readonly relatedIdentifiers: readonly Entry[] }, type: string) =>
    body.relatedIdentifiers.filter(({ relationType }) => relationType === type)

  describe('GET of an item, by Accept', () => {
    before(async () => {
      await start()
      await client.postMetadata('http://x/1', 'xml', noteXml, { id: 'document' }).expect(201)
    })
    after(removeRepositories)

    const schema = '/schemas/json'
    const document = '/metadata/document'
    const rows: readonly (readonly [
      version: 1 | 2,
      path: string,
      accept: string | undefined,
      status: number,
      type?: string,
    ])[] = [
      [2, schema, citation, 200, citation],
      [2, schema, 'application/vnd.datacite.org+json', 200, 'application/vnd.datacite.org+json'],
      [2, schema, contentInformation, 200, contentInformation],
      [2, schema, 'text/html', 302],
      [2, schema, 'application/json', 200, 'application/json'],
      [2, schema, 'application/xml', 200, 'application/json'],
      [2, schema, '*/*', 200, 'application/json'],
      [2, schema, undefined, 200, 'application/json'],
      [2, schema, 'application/vnd.datamanager.schema-record+json', 406],
      [2, schema, 'application/vnd.repository.schema-record+json', 406],
      [2, schema, 'image/png', 406],
      [2, schema, `image/png, ${citation};q=0.1`, 200, citation],
      [2, document, citation, 200, citation],
      [2, document, contentInformation, 200, contentInformation],
      [2, document, 'text/html', 302],
      [2, document, 'application/json', 200, 'application/xml'],
      [2, document, '*/*', 200, 'application/xml'],
      [2, document, undefined, 200, 'application/xml'],
      [2, document, 'image/png', 200, 'application/xml'],
      [2, document, 'application/vnd.datamanager.metadata-record+json', 406],
      [2, document, 'application/vnd.datamanager.metadata-record+json, */*', 200, 'application/xml'],
      [2, document, index, 200, index],
      [1, document, index, 200, index],
      [1, document, citation, 406],
      [1, document, contentInformation, 406],
      [1, schema, citation, 406],
      [1, schema, index, 406],
    ]
    for (const [version, path, accept, status, type] of rows) {
      it(`version ${version} answers GET ${path} with Accept ${accept ?? 'nothing'} by ${status} ${type ?? ''}`, async () => {
        const answer = await (version === 1 ? old : client).get(path, accept)
        expect(answer.status, answer.text).to.equal(status)
        expect(answer.headers.vary).to.equal('Accept')
        if (type !== undefined) {
          expect(answer.headers['content-type']).to.equal(type)
          expect(etagOf(answer)).to.match(/^"[0-9a-f]{40}"$/)
        }
      })
    }
  })

  describe('messages that clients look for', () => {
    before(async () => {
      await start()
      await client.postMetadata('http://x/1', 'xml', noteXml, { id: 'document' }).expect(201)
    })
    after(removeRepositories)

    const rows: readonly (readonly [path: string, accept: string, detail: string])[] = [
      ['/schemas/cd', citation, "Document with ID 'cd' doesn't exist!"],
      ['/metadata/cd', citation, "Document with ID 'cd' doesn't exist!"],
      ['/metadata/cd', '*/*', 'No content information for identifier cd'],
      ['/metadata/cd', contentInformation, 'No content information for identifier cd'],
      ['/schemas/json?version=13', citation, "Version '13' of ID 'json' doesn't exist!"],
      ['/metadata/document?version=13', citation, "Version '13' of ID 'document' doesn't exist!"],
    ]
    for (const [path, accept, detail] of rows) {
      it(`${path} as ${accept} answers: ${detail}`, async () => {
        expect((await client.get(path, accept).expect(404)).body.detail).to.equal(detail)
      })
    }

    it('validation against an unknown version names the version and the schema', async () => {
      const answer = await client.validate('/schemas/json/validate?version=13', '{}').expect(404)
      expect(answer.body.detail).to.include('13').and.to.include('json')
    })

    it('an id of another record is refused with Conflict and the id', async () => {
      const answer = await client.postSchema('json', jsonSchema()).expect(409)
      expect(answer.body.title).to.equal('Conflict')
      expect(answer.body.detail).to.include('json')
    })
  })

  describe('POST of a schema', () => {
    beforeEach(start)
    afterEach(removeRepositories)

    it('needs an id and a title, and has defaults for the rest', async () => {
      const parts = [
        { name: 'record', content: JSON.stringify(version2().schema('x')), file: 'record.json' },
        { name: 'schema', content: jsonSchema(), file: 'schema.json' },
      ]
      const answer = await client.send('post', '/schemas', parts).expect(201)
      const { dates, lastUpdate, ...others } = answer.body
      expect(others).to.deep.equal({
        id: 'x',
        identifier: { id: 1, value: '(:tba)', identifierType: 'DOI' },
        creators: [{ id: 1, givenName: 'SELF' }],
        titles: [{ id: 1, value: 'A title' }],
        publisher: 'SELF',
        publicationYear: String(new Date(lastUpdate).getUTCFullYear()),
        resourceType: { id: 1, value: 'JSON_Schema', typeGeneral: 'MODEL' },
        alternateIdentifiers: [{ id: 1, value: 'x', identifierType: 'INTERNAL' }],
        version: '1',
        state: 'VOLATILE',
        acls: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
      })
      expect(dates).to.have.length(1)
      expect(dates[0]).to.include({ id: 1, type: 'CREATED' })
      expect(answer.headers.location).to.equal(`${base}/repository/api/v2/schemas/x?version=1`)
      expect(await read('/schemas/x?version=1')).to.deep.equal(answer.body)
    })

    it('keeps an id in upper case as another name, and finds it in both cases', async () => {
      const { body } = await client.postSchema('MySchema', jsonSchema()).expect(201)
      expect(body.id).to.equal('myschema')
      expect(body.alternateIdentifiers).to.deep.equal([
        { id: 1, value: 'myschema', identifierType: 'INTERNAL' },
        { id: 2, value: 'MySchema', identifierType: 'OTHER' },
      ])
      expect(await read('/schemas/MySchema')).to.deep.equal(body)
      await client.validate('/schemas/MySchema/validate', '{}').expect(204)
      for (const twin of ['MYSCHEMA', 'myschema', 'MySchema']) {
        await client.postSchema(twin, jsonSchema()).expect(409)
      }
    })

    it('accepts the resource type of the schema’s language, and sets it if it is absent', async () => {
      for (const [id, document, value] of [
        ['a', jsonSchema(), 'JSON_Schema'],
        ['b', noteXsdText, 'XML_Schema'],
      ] as const) {
        const type = { resourceType: { value, typeGeneral: 'MODEL' } }
        const named = await client.postSchema(id, document, type).expect(201)
        const found = await client.postSchema(`${id}2`, document).expect(201)
        expect(found.body.resourceType).to.deep.equal(named.body.resourceType).and.to.include({ value })
      }
    })

    it('raises the caller’s own entry to ADMINISTRATE', async () => {
      const { body } = await client
        .postSchema('x', jsonSchema(), { acls: [{ id: 9, sid: 'SELF', permission: 'READ' }] })
        .expect(201)
      expect(body.acls).to.deep.equal([{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }])
    })
  })

  describe('PUT of a schema', () => {
    let first: request.Response
    const put = async (more: Json, record: Json = first.body) =>
      (await client.put('schemas', 'x', '*', { ...record, ...more }).expect(200)).body

    beforeEach(async () => {
      await start()
      first = await client
        .postSchema('x', jsonSchema(), {
          creators: [{ familyName: 'Doe', affiliations: ['KIT'] }],
          publisher: 'KIT',
          publicationYear: '1999',
          language: 'en',
          rights: [{ schemeId: 'CC0-1.0', schemeUri: 'https://spdx.org/licenses/CC0-1.0' }],
          subjects: [{ value: 'physics' }],
        })
        .expect(201)
    })
    afterEach(removeRepositories)

    it('replaces the record, except for members that keep their values if absent or empty', async () => {
      const changed = await put({ creators: [], acls: null }, { titles: [{ value: 'New' }] })
      expect(changed).to.not.have.any.keys('language', 'rights', 'subjects')
      expect(changed).to.deep.include({
        titles: [{ id: 1, value: 'New' }],
        creators: first.body.creators,
        publisher: 'KIT',
        publicationYear: '1999',
        state: 'VOLATILE',
        resourceType: first.body.resourceType,
        acls: first.body.acls,
        dates: first.body.dates,
      })
    })

    it('ignores id, version and the date CREATED of the request', async () => {
      const changed = await put({
        id: 'other',
        version: '9',
        dates: [{ value: '1999-01-01T00:00:00Z', type: 'CREATED' }],
        lastUpdate: '1999-01-01T00:00:00Z',
      })
      expect(changed).to.deep.equal(first.body)
    })

    it('accepts any formats, and adds and removes rights', async () => {
      expect((await put({ formats: ['JSON', 'application/schema+json'] })).formats).to.have.length(2)
      const rights = [...first.body.rights, { schemeId: 'MIT', schemeUri: 'https://spdx.org/licenses/MIT' }]
      expect((await put({ rights })).rights.map((right: Entry) => right.id)).to.deep.equal([1, 2])
      for (const none of [null, []]) expect(await put({ rights: none })).to.not.have.property('rights')
    })

    it('sets FIXED and VOLATILE, and restores a REVOKED record', async () => {
      expect((await put({ state: 'FIXED' })).state).to.equal('FIXED')
      expect((await put({ state: 'VOLATILE' })).state).to.equal('VOLATILE')
      await client.delete('/schemas/x', '*').expect(204)
      expect((await read('/schemas/x')).state).to.equal('REVOKED')
      await client.postMetadata('http://x/1', 'x', '{}').expect(422)
      expect((await put({ state: 'VOLATILE' })).state).to.equal('VOLATILE')
      await client.postMetadata('http://x/1', 'x', '{}').expect(201)
    })

    it('returns the address of the version', async () => {
      const answer = await client.put('schemas', 'x', '*', undefined, jsonSchema('a')).expect(200)
      expect(answer.headers.location).to.equal(`${base}/repository/api/v2/schemas/x?version=2`)
      expect(answer.body.version).to.equal('2')
    })
  })

  describe('names of a record', () => {
    beforeEach(async () => {
      await start()
      const identifier = { value: '10.5281/zenodo.42', identifierType: 'DOI' }
      await client.postSchema('Named', jsonSchema(), { identifier }).expect(201)
    })
    afterEach(removeRepositories)

    it('find it on GET and PUT, and redirect DELETE to its id with 303', async () => {
      for (const name of ['Named', '10.5281%2Fzenodo.42']) {
        const record = await client.record(`/schemas/${name}`).expect(200)
        expect(JSON.parse(record.text).id).to.equal('named')
        await client.put('schemas', name, etagOf(record), JSON.parse(record.text)).expect(200)
        await service.storesNothing(async () => {
          await client.delete(`/schemas/${name}`).expect(428)
          const elsewhere = await client.delete(`/schemas/${name}`, '*').expect(303)
          expect(elsewhere.headers.location).to.equal(`${base}/repository/api/v2/schemas/named`)
        })
      }
      await client.delete('/schemas/named', '*').expect(204)
    })

    it('are unique across schemas and metadata, also after the record is GONE', async () => {
      const takes = (value: string) => ({ alternateIdentifiers: [{ value, identifierType: 'OTHER' }] })
      for (const value of ['Named', 'named', '10.5281/zenodo.42']) {
        await client.postSchema('other', jsonSchema(), takes(value)).expect(409)
        await client.postMetadata('http://x/1', 'xml', noteXml, takes(value)).expect(409)
      }
      await client.delete('/schemas/named', '*').expect(204)
      await client.delete('/schemas/named', '*').expect(204)
      for (const value of ['Named', 'named', '10.5281/zenodo.42']) {
        await client.postSchema('other', jsonSchema(), takes(value)).expect(410)
        await client.postMetadata('http://x/1', 'xml', noteXml, takes(value)).expect(410)
        const record = { ...(await read('/schemas/xml')), ...takes(value) }
        const { body } = await client.put('schemas', 'xml', '*', record).expect(409)
        expect(body.detail).to.contain(value).and.to.contain('was deleted')
      }
    })

    it('lead DELETE of metadata to the record', async () => {
      const identifier = { value: '10.5281/zenodo.43', identifierType: 'DOI' }
      const { body } = await client.postMetadata('http://x/1', 'xml', noteXml, { identifier }).expect(201)
      const path = '/metadata/10.5281%2Fzenodo.43'
      expect(await read(path)).to.deep.equal(body)
      await client.delete(path, '*').expect(204)
      await client.delete(path, '*').expect(204)
      await client.record(path).expect(404)
      await client.record(`/metadata/${body.id}`).expect(404)
    })
  })

  describe('names of a schema', () => {
    beforeEach(start)
    afterEach(removeRepositories)

    it('name the schema in records, addresses and filters; the record stores the id of the schema', async () => {
      await client.postSchema('MySchema', jsonSchema('title')).expect(201)
      await client.put('schemas', 'myschema', '*', undefined, jsonSchema()).expect(200)
      const address = `${base}/repository/api/v2/schemas`
      const document = '{"title":"a"}'
      const made: string[] = []
      for (const [value, identifierType] of [
        ['MySchema', 'INTERNAL'],
        ['MySchema/1', 'INTERNAL'],
        [`${address}/MySchema?version=1`, 'URL'],
      ] as const) {
        const about = { identifierType: 'URL', value: `http://x/${value}`, relationType: 'IS_METADATA_FOR' }
        const follows = { identifierType, value, relationType: 'HAS_METADATA' }
        const record = { titles: [{ value: 'A title' }], relatedIdentifiers: [about, follows] }
        const parts = [formFile('record', record), formFile('document', document)]
        const { body } = await client.send('post', '/metadata', parts).expect(201)
        made.push(...relations(body, 'HAS_METADATA').map(relation => relation.value))

        // The record keeps its schema if the client sends it back with the relations of its creation.
        const again = { ...body, relatedIdentifiers: record.relatedIdentifiers }
        const { body: kept } = await client.put('metadata', body.id, '*', again).expect(200)
        expect(kept).to.deep.equal(body)
      }
      expect(made).to.deep.equal([2, 1, 1].map(version => `${address}/myschema?version=${version}`))
      const twice = { identifierType: 'URL', value: 'http://x/MySchema', relationType: 'IS_METADATA_FOR' }
      const follows = { identifierType: 'INTERNAL', value: 'myschema', relationType: 'HAS_METADATA' }
      const record = { titles: [{ value: 'x' }], relatedIdentifiers: [twice, follows] }
      await client
        .send('post', '/metadata', [formFile('record', record), formFile('document', document)])
        .expect(409)

      for (const name of ['MySchema', 'myschema', encodeURIComponent(`${address}/MySchema`)]) {
        const { headers } = await client.get(`/metadata?schemaId=${name}`).expect(200)
        expect(headers['content-range'], name).to.equal('0-2/3')
      }
    })
  })

  describe('POST and PUT of metadata', () => {
    beforeEach(start)
    afterEach(removeRepositories)

    const titles = [{ value: 'A title' }]
    const about = { identifierType: 'URL', value: 'http://x/1', relationType: 'IS_METADATA_FOR' }
    const follows = (value: string, identifierType = 'INTERNAL') => ({
      identifierType,
      value,
      relationType: 'HAS_METADATA',
    })
    const post = (relatedIdentifiers: readonly unknown[], more: Json = {}) =>
      client.send('post', '/metadata', [
        formFile('record', { titles, relatedIdentifiers, ...more }),
        formFile('document', '{"title":"a","date":"b"}'),
      ])

    it('name the schema by id, id and version, or address under any mount; the response has the address', async () => {
      await client.put('schemas', 'json', '*', undefined, jsonSchema('title', 'date')).expect(200)
      let number = 0
      for (const [relation, version] of [
        [follows('json'), 2],
        [follows('json/1'), 1],
        [follows(`${base}/repository/api/v2/schemas/json?version=1`, 'URL'), 1],
        [follows(`${base}/api/v1/schemas/json?version=2`, 'URL'), 2],
      ] as const) {
        const { body } = await post([{ ...about, value: `http://x/${++number}` }, relation]).expect(201)
        const [shown, second] = relations(body, 'HAS_METADATA')
        expect(second).to.equal(undefined)
        expect(shown).to.deep.include({
          identifierType: 'URL',
          value: `${base}/repository/api/v2/schemas/json?version=${version}`,
        })
      }
    })

    it('keep relations to resources as they were sent', async () => {
      const second = { identifierType: 'ISBN', value: '978-3-16-148410-0', relationType: 'IS_METADATA_FOR' }
      const cites = { identifierType: 'DOI', value: '10.1/x', relationType: 'CITES' }
      const { body } = await post([second, follows('json'), about, cites]).expect(201)
      const sent = [second, about, cites].map(({ value, relationType }) => [value, relationType])
      const shown = (body.relatedIdentifiers as readonly Entry[]).slice(0, 3)
      expect(shown.map(({ value, relationType }) => [value, relationType])).to.deep.equal(sent)
      expect(shown.map(({ id }) => id)).to.deep.equal([1, 2, 3])
    })

    it('set a resource type that is absent or wrong', async () => {
      let number = 0
      for (const more of [{}, { resourceType: { value: 'Picture', typeGeneral: 'IMAGE' } }]) {
        const { body } = await post(
          [{ ...about, value: `http://x/${++number}` }, follows('json')],
          more,
        ).expect(201)
        expect(body.resourceType).to.deep.equal({ id: 1, value: 'JSON_Metadata', typeGeneral: 'MODEL' })
      }
    })

    it('use the id, else the first INTERNAL identifier, in any case', async () => {
      const alternateIdentifiers = [
        { value: 'Other', identifierType: 'OTHER' },
        { value: 'Internal', identifierType: 'INTERNAL' },
      ]
      const first = await post([about, follows('json')], { alternateIdentifiers }).expect(201)
      expect(first.body.id).to.equal('Internal')
      const named = { alternateIdentifiers: [{ value: 'Second', identifierType: 'INTERNAL' }], id: 'The.Id' }
      const second = await post([{ ...about, value: 'http://x/2' }, follows('json')], named).expect(201)
      expect(second.body.id).to.equal('The.Id')
    })

    it('show exactly one IS_NEW_VERSION_OF from version 2 on: the previous version', async () => {
      const first = await post([about, follows('json')], { id: 'x' }).expect(201)
      expect(relations(first.body, 'IS_NEW_VERSION_OF')).to.deep.equal([])
      expect(first.headers.location).to.equal(`${base}/repository/api/v2/metadata/x?version=1`)
      let { body } = first
      for (const version of [2, 3]) {
        const sent = [
          ...body.relatedIdentifiers,
          { ...about, relationType: 'IS_NEW_VERSION_OF', value: 'http://x/0' },
        ]
        const answer = await client
          .put('metadata', 'x', '*', { ...body, relatedIdentifiers: sent }, `{"title":"${version}"}`)
          .expect(200)
        body = answer.body
        expect(body.version).to.equal(String(version))
        expect(relations(body, 'IS_NEW_VERSION_OF').map(({ value }) => value)).to.deep.equal([
          `${base}/repository/api/v2/metadata/x?version=${version - 1}`,
        ])
        expect(answer.headers.location).to.equal(`${base}/repository/api/v2/metadata/x?version=${version}`)
      }
    })

    it('keep the schema if its relation is removed', async () => {
      await client.put('schemas', 'json', '*', undefined, jsonSchema('title', 'date')).expect(200)
      const { body } = await post([about, follows('json/1')], { id: 'x' }).expect(201)

      const sent = { ...body, publisher: 'Somebody', relatedIdentifiers: [about] }
      const changed = await client.put('metadata', 'x', '*', sent).expect(200)

      expect(changed.body).to.include({ version: '2', publisher: 'Somebody' })
      expect(relations(changed.body, 'HAS_METADATA').map(({ value }) => value)).to.deep.equal([
        `${base}/repository/api/v2/schemas/json?version=1`,
      ])
    })

    it('return the address of the document on GET of a record', async () => {
      await post([about, follows('json')], { id: 'x' }).expect(201)
      await client.put('metadata', 'x', '*', undefined, '{"title":"b"}').expect(200)
      for (const [query, version] of [
        ['', 2],
        ['?version=1', 1],
      ] as const) {
        const record = await client.record(`/metadata/x${query}`).expect(200)
        expect(record.headers.location).to.equal(`${base}/repository/api/v2/metadata/x?version=${version}`)
      }
    })

    it('remove rights that are null', async () => {
      const rights = [{ schemeId: 'MIT', schemeUri: 'https://spdx.org/licenses/MIT' }]
      const { body } = await post([about, follows('json')], { id: 'x', rights }).expect(201)
      const changed = await client.put('metadata', 'x', '*', { ...body, rights: null }).expect(200)
      expect(changed.body).to.not.have.property('rights')
    })

    it('keep FIXED, and restore a REVOKED record with VOLATILE', async () => {
      const { body } = await post([about, follows('json')], { id: 'x', state: 'FIXED' }).expect(201)
      expect(body.state).to.equal('FIXED')
      await client.delete('/metadata/x', '*').expect(204)
      const revived = await client.put('metadata', 'x', '*', { ...body, state: 'VOLATILE' }).expect(200)
      expect(revived.body).to.include({ state: 'VOLATILE', version: '3' })
    })
  })

  describe('content information', () => {
    const information = async (path: string) =>
      JSON.parse((await client.get(path, contentInformation).expect(200)).text)
    let first: Json & { readonly hash: string }
    let parent: Json
    let afterRecord: Json
    let second: Json & { readonly hash: string; readonly contentUri: string }
    before(async () => {
      await start()
      await client.postMetadata('http://x/1', 'json', '{"title":"ä"}', { id: 'x' }).expect(201)
      first = await information('/metadata/x')
      const record = await read('/metadata/x')
      const { identifier, alternateIdentifiers } = record
      parent = { id: 'x', identifier, alternateIdentifiers }
      await client.put('metadata', 'x', '*', { ...record, language: 'en' }).expect(200)
      afterRecord = await information('/metadata/x')
      await client.put('metadata', 'x', '*', undefined, '{"title":"b"}').expect(200)
      second = await information('/metadata/x')
    })
    after(removeRepositories)

    it('has the version, type, size, hash and address of the document, and names its record', () => {
      expect(first).to.deep.include({
        parentResource: parent,
        version: 1,
        contentUri: `${base}/repository/api/v2/metadata/x?version=1`,
        mediaType: 'application/json',
        size: 14,
        metadata: {},
        tags: [],
      })
      expect(first.hash).to.match(/^sha1:[0-9a-f]{40}$/)
    })

    it('stays the same if only the record changes', () => {
      expect(afterRecord).to.deep.equal(first)
    })

    it('has a new version, size and hash if the document changes', () => {
      expect(second).to.include({ version: 2, size: 13 })
      expect(second.hash).not.to.equal(first.hash)
    })

    it('has the address of the changed document', async () => {
      const path = second.contentUri.slice(`${base}/repository/api/v2`.length)
      expect((await client.get(path).expect(200)).text).to.equal('{"title":"b"}')
    })

    it('of an older version is as it was', async () => {
      expect(await information('/metadata/x?version=2')).to.deep.equal(first)
    })
  })

  describe('an index entry', () => {
    beforeEach(start)
    afterEach(removeRepositories)

    it('returns a record of version 2 with its document, in any encoding', async () => {
      let number = 0
      const utf16 = `<?xml version="1.0" encoding="UTF-16"?>${noteXml}`
      for (const [schema, document, shown] of [
        ['json', '\ufeff{"title":"ä"}', { title: 'ä' }],
        ['xml', noteXml, noteXml],
        ['xml', Buffer.from(`\ufeff${utf16}`, 'utf16le'), utf16],
      ] as const) {
        const { body } = await client.postMetadata(`http://x/${++number}`, schema, document).expect(201)
        const answer = await old.get(`/metadata/${body.id}`, index).expect(200)
        const entry = JSON.parse(answer.text)
        expect(entry).to.deep.include({
          id: body.id,
          created: Date.parse(body.dates[0].value),
          lastUpdate: Date.parse(body.lastUpdate),
          read: ['SELF'],
        })
        expect(entry.metadataRecord).to.include({ id: body.id, version: '1' })
        expect(entry.metadataDocument).to.deep.equal(shown)
      }
    })
  })
})
