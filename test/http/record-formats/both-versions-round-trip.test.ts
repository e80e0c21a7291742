import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Response } from 'supertest'
import { arbitraryVersion2Record } from '../../support/data/arbitrary-records.js'
import {
  base,
  etagOf,
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const recordType = 'application/vnd.datacite.org+json'
const citationType = 'application/vnd.citation.org+json'
const contentType = 'application/vnd.datamanager.content-information+json'
const mounts = ['/api/v2', '/metastore/api/v2', '/repository/api/v2']

function titled(more: object = {}): object {
  return { titles: [{ value: 'A title' }], ...more }
}

function follows(schema: string, resource: string, more: object = {}): object {
  return titled({
    relatedIdentifiers: [
      { identifierType: 'URL', value: resource, relationType: 'IS_METADATA_FOR' },
      { identifierType: 'INTERNAL', value: schema, relationType: 'HAS_METADATA' },
    ],
    ...more,
  })
}

describe('version 2 over HTTP', () => {
  let service: TestService
  async function start(): Promise<void> {
    service = await startService()
  }

  const part = (json: unknown) => Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))
  function send(
    sent: ReturnType<TestService['http']['post']>,
    record: unknown,
    parts: Record<string, string>,
  ) {
    if (record !== undefined) {
      sent.attach('record', part(record), { filename: 'record.json', contentType: 'application/json' })
    }
    for (const [name, content] of Object.entries(parts)) sent.attach(name, Buffer.from(content), name)
    return sent
  }
  const post = (path: string, record: unknown, parts: Record<string, string>) =>
    send(service.http.post(path), record, parts)
  const put = (path: string, etag: string, record: unknown, parts: Record<string, string> = {}) =>
    send(service.http.put(path).set('If-Match', etag), record, parts)
  const read = (path: string, accept = recordType) => service.http.get(path).set('Accept', accept)
  const validate = (schema: string, document: string) =>
    service.http.post(`${schema}/validate`).attach('document', part(document), 'd')

  for (const mount of mounts) {
    const root = base + mount
    const at = (id: unknown) => `${mount}/metadata/${id}`
    const postSchema = () => post(`${mount}/schemas`, titled({ id: 'sample' }), { schema: jsonSchema('a') })
    const postDocument = () =>
      post(`${mount}/metadata/`, follows('sample/1', 'https://example.org/1'), { document: '{"a":1}' })

    describe(`a schema and its document under ${mount}`, () => {
      let schema: Response
      let made: Response
      before(async () => {
        await start()
        schema = await postSchema()
        made = await postDocument()
      })
      after(removeRepositories)

      it('the POST of the schema answers with the address and the record of its first version', () => {
        expect(schema.status).to.equal(201)
        expect(schema.headers.location).to.equal(`${root}/schemas/sample?version=1`)
        expect(schema.body).to.deep.include({ id: 'sample', version: '1', state: 'VOLATILE' })
        expect(schema.body).to.not.have.property('formats')
      })

      it('a GET of the schema returns the record, the ETag and the address of the POST', async () => {
        const found = await read(`${mount}/schemas/sample`).expect(200).expect('Content-Type', recordType)
        expect(found.body).to.deep.equal(schema.body)
        expect(found.headers.etag).to.equal(schema.headers.etag)
        expect(found.headers.location).to.equal(`${root}/schemas/sample?version=1`)
      })

      it('the POST of the document answers with the address of its first version', () => {
        expect(made.status).to.equal(201)
        expect(made.headers.location).to.equal(`${base}${at(made.body.id)}?version=1`)
        expect(relation(made, 'IS_NEW_VERSION_OF')).to.deep.equal([])
      })

      it('the POST of the document sets its resource type, and the address of its schema', () => {
        expect(made.body.resourceType).to.deep.equal({
          id: 1,
          value: 'JSON_Metadata',
          typeGeneral: 'MODEL',
        })
        expect(relation(made, 'HAS_METADATA')).to.deep.equal([`${root}/schemas/sample?version=1`])
      })

      it('a GET of the document as a citation returns the record of the POST', async () => {
        const found = await read(at(made.body.id), citationType)
          .expect(200)
          .expect('Content-Type', citationType)
        expect(found.body).to.deep.equal(made.body)
      })

      it('a document that fits the schema is valid', async () => {
        await validate(`${mount}/schemas/sample`, '{"a":3}').expect(204)
      })

      it('a document that does not fit the schema is refused with 422', async () => {
        await validate(`${mount}/schemas/sample`, '{}').expect(422)
      })
    })

    describe(`a changed document under ${mount}`, () => {
      let path: string
      let stale: Response
      let second: Response
      let third: Response
      let same: Response
      before(async () => {
        await start()
        await postSchema().expect(201)
        const made = await postDocument().expect(201)
        path = at(made.body.id)
        const sent = { ...made.body, titles: [{ value: 'Another' }] }
        stale = await put(path, '"0"', sent)
        second = await put(path, etagOf(made), sent).expect(200)
        third = await put(path, etagOf(second), second.body, { document: '{"a":2}' }).expect(200)
        same = await put(path, etagOf(third), third.body, { document: '{"a":2}' }).expect(200)
      })
      after(removeRepositories)

      it('a PUT with a wrong ETag is refused with 412', () => {
        expect(stale.status).to.equal(412)
      })

      it('a PUT of the record makes a new version, which names the one before', () => {
        expect(second.headers['content-type']).to.equal('application/json')
        expect(second.headers.location).to.equal(`${base}${path}?version=2`)
        expect(relation(second, 'IS_NEW_VERSION_OF')).to.deep.equal([`${base}${path}?version=1`])
      })

      it('a PUT of the document makes a new version, which names the one before', () => {
        expect(relation(third, 'IS_NEW_VERSION_OF')).to.deep.equal([`${base}${path}?version=2`])
      })

      it('a PUT of the stored record and document keeps the ETag', () => {
        expect(same.headers.etag).to.equal(third.headers.etag)
      })

      it('the first version of the document is still readable', async () => {
        expect((await service.http.get(`${path}?version=1`).expect(200)).text).to.equal('{"a":1}')
      })

      it('the list of the documents of the schema has the newest version', async () => {
        const list = await read(`${mount}/metadata?schemaId=sample`)
          .expect(200)
          .expect('Content-Range', '0-0/1')
        expect(list.body).to.deep.equal([third.body])
      })

      it('the list of the versions of the document has all, newest first', async () => {
        const list = await read(`${mount}/metadata?id=${third.body.id}`).expect(200)
        expect(list.body.map(versionOf)).to.deep.equal(['3', '2', '1'])
      })
    })

    describe(`a deleted document under ${mount}`, () => {
      let used: Response
      let revoked: Response
      let revived: Response
      let gone: Response
      let unused: Response
      before(async () => {
        await start()
        const schema = await postSchema().expect(201)
        const made = await postDocument().expect(201)
        const path = at(made.body.id)
        const remove = async (target: string, etag: string) =>
          await service.http.delete(target).set('If-Match', etag)
        used = await remove(`${mount}/schemas/sample`, etagOf(schema))
        expect((await remove(path, etagOf(made))).status).to.equal(204)
        revoked = await read(path)
        revived = await put(path, etagOf(revoked), { ...revoked.body, state: 'VOLATILE' })
        expect((await remove(path, etagOf(revived))).status).to.equal(204)
        expect((await remove(path, etagOf(await read(path)))).status).to.equal(204)
        gone = await read(path)
        unused = await remove(`${mount}/schemas/sample`, etagOf(schema))
      })
      after(removeRepositories)

      it('a DELETE of the schema is refused with 409 before the document is deleted', () => {
        expect(used.status).to.equal(409)
      })

      it('a DELETE makes a new version with the state REVOKED', () => {
        expect(revoked.status).to.equal(200)
        expect(revoked.body).to.include({ state: 'REVOKED', version: '2' })
      })

      it('a PUT with the state VOLATILE restores the document', () => {
        expect(revived.status).to.equal(200)
        expect(revived.body.state).to.equal('VOLATILE')
      })

      it('a second DELETE of a REVOKED document removes it', () => {
        expect(gone.status).to.equal(404)
      })

      it('a DELETE of the schema succeeds after the document is removed', () => {
        expect(unused.status).to.equal(204)
      })
    })
  }

  describe('a record through the other version', () => {
    const creators = [{ familyName: 'Lovelace', givenName: 'Ada', affiliations: ['Example'] }]
    const licenseUri = 'https://example.org/licences/MIT'
    let shown: Response
    let changed: Response
    let later: Response
    before(async () => {
      await start()
      await service.postSchema({ schemaId: 'note', label: 'Note' }, noteXsdText).expect(201)
      const record = follows('note', 'https://example.org/n', { creators, language: 'en' })
      const { id } = (await post('/api/v2/metadata', record, { document: noteXml }).expect(201)).body
      shown = await service.http
        .get(`/api/v1/metadata/${id}`)
        .set('Accept', 'application/vnd.repository.metadata-record+json')
        .expect(200)
      changed = await service.putMetadata(id, etagOf(shown), { ...shown.body, licenseUri }).expect(200)
      later = await read(`/api/v2/metadata/${id}`).expect(200)
    })
    after(removeRepositories)

    it('a schema of version 1 has its label as a description', async () => {
      const { body } = await read('/api/v2/schemas/note').expect(200)
      expect(body.descriptions).to.deep.equal([{ id: 1, description: 'Note', type: 'OTHER' }])
    })

    it('a document of version 2 has its resource', () => {
      expect(shown.body.relatedResource).to.deep.equal({
        identifier: 'https://example.org/n',
        identifierType: 'URL',
      })
    })

    it('a PUT of version 1 makes a new version of a document of version 2', () => {
      expect(changed.body.recordVersion).to.equal(2)
    })

    it('a PUT of version 1 keeps the members that version 1 lacks', () => {
      expect(later.body.creators).to.deep.equal([{ id: 1, ...creators[0] }])
      expect(later.body.language).to.equal('en')
    })

    it('a licence of version 1 is in the rights of version 2', () => {
      expect(later.body.rights).to.deep.equal([{ id: 1, schemeId: '/MIT', schemeUri: licenseUri }])
    })
  })

  describe('a schema with several names', () => {
    const pid = '10.5072/sample-42'
    const names = ['mixedcase', 'MixedCase', 'urn:x:1', pid]
    let made: Response
    async function startWithNames(): Promise<void> {
      await start()
      const record = titled({
        id: 'MixedCase',
        identifier: { value: pid, identifierType: 'DOI' },
        alternateIdentifiers: [{ value: 'urn:x:1', identifierType: 'URN' }],
      })
      made = await post('/api/v2/schemas', record, { schema: jsonSchema() }).expect(201)
    }

    describe('as it was posted', () => {
      before(startWithNames)
      after(removeRepositories)

      it('has its id in lower case, and the sent id as another name', () => {
        expect(made.body.id).to.equal('mixedcase')
        expect(made.body.alternateIdentifiers).to.deep.equal([
          { id: 1, value: 'mixedcase', identifierType: 'INTERNAL' },
          { id: 2, value: 'MixedCase', identifierType: 'OTHER' },
          { id: 3, value: 'urn:x:1', identifierType: 'URN' },
        ])
      })

      for (const name of names) {
        const at = `schemas/${encodeURIComponent(name)}`
        for (const version of ['v1', 'v2']) {
          it(`is found as ${name} in ${version}`, async () => {
            expect((await read(`/api/${version}/${at}`, '*/*').expect(200)).text).to.equal(jsonSchema())
          })

          it(`validates as ${name} in ${version}`, async () => {
            await validate(`/api/${version}/${at}`, '{}').expect(204)
          })
        }

        it(`has its record as ${name}`, async () => {
          expect((await read(`/api/v2/${at}`).expect(200)).body).to.deep.equal(made.body)
        })

        if (name === 'mixedcase') continue
        it(`is not deleted as ${name}: a DELETE is redirected to the id with 303`, async () => {
          const away = await service.http.delete(`/api/v2/${at}`).set('If-Match', etagOf(made)).expect(303)
          expect(away.headers.location).to.equal(`${base}/api/v2/schemas/mixedcase`)
        })
      }

      it('does not share its id with a schema whose id differs in case: 409', async () => {
        await post('/api/v2/schemas', titled({ id: 'MIXEDCASE' }), { schema: jsonSchema() }).expect(409)
      })

      it('allows another schema whose id is the beginning of a name', async () => {
        await post('/api/v2/schemas', titled({ id: 'urn' }), { schema: jsonSchema() }).expect(201)
      })

      it('does not share another name: 409 with the name', async () => {
        const clash = titled({ id: 'other', alternateIdentifiers: [{ value: pid, identifierType: 'DOI' }] })
        const { body } = await post('/api/v2/schemas', clash, { schema: jsonSchema() }).expect(409)
        expect(body.detail).to.contain(pid)
      })
    })

    describe('after a PUT without its names, by one of them', () => {
      let changed: Response
      before(async () => {
        await startWithNames()
        changed = await put(`/api/v2/schemas/${encodeURIComponent(pid)}`, etagOf(made), titled())
      })
      after(removeRepositories)

      it('has the identifier of a record without one', () => {
        expect(changed.status).to.equal(200)
        expect(changed.body.identifier.value).to.equal('(:tba)')
      })

      for (const name of [pid, 'MixedCase'])
        it(`is not found as ${name}`, async () => {
          await read(`/api/v2/schemas/${encodeURIComponent(name)}`).expect(404)
        })
    })
  })

  describe('a document with several names', () => {
    let document: Response
    let deleted: Response
    let revoked: Response
    let whileRevoked: Response
    let onceGone: Response
    let schemaOnceGone: Response
    before(async () => {
      await start()
      await post('/api/v2/schemas', titled({ id: 'urn' }), { schema: jsonSchema() }).expect(201)
      const record = follows('urn', 'https://example.org/d', {
        alternateIdentifiers: [
          { value: 'my-own-id', identifierType: 'INTERNAL' },
          { value: 'doc:1', identifierType: 'OTHER' },
        ],
      })
      const again = () => post('/api/v2/metadata', record, { document: '{}' })
      document = await again()
      deleted = await service.http.delete('/api/v2/metadata/doc%3A1').set('If-Match', etagOf(document))
      revoked = await read('/api/v2/metadata/my-own-id')
      whileRevoked = await again()
      await service.http
        .delete('/api/v2/metadata/my-own-id')
        .set('If-Match', etagOf(await read('/api/v2/metadata/my-own-id')))
        .expect(204)
      onceGone = await again()
      const taker = { id: 'doc-2', alternateIdentifiers: [{ value: 'doc:1', identifierType: 'OTHER' }] }
      schemaOnceGone = await post('/api/v2/schemas', titled(taker), { schema: jsonSchema() })
    })
    after(removeRepositories)

    it('has the INTERNAL one as its id', () => {
      expect(document.status).to.equal(201)
      expect(document.body.id).to.equal('my-own-id')
    })

    it('is revoked by a DELETE with another one', () => {
      expect(deleted.status).to.equal(204)
      expect(revoked.status).to.equal(200)
      expect(revoked.body.state).to.equal('REVOKED')
    })

    it('keeps them while it is REVOKED: another document with them is refused with 409', () => {
      expect(whileRevoked.status).to.equal(409)
    })

    it('keeps them after it is GONE: another document with them is refused with 410', () => {
      expect(onceGone.status).to.equal(410)
    })

    it('keeps them after it is GONE: a schema with one of them is refused with 410', () => {
      expect(schemaOnceGone.status).to.equal(410)
    })
  })

  describe('a GET by media type', () => {
    const oldType = 'application/vnd.repository.schema-record+json'
    before(async () => {
      await start()
      await post('/api/v2/schemas', titled({ id: 'sample' }), { schema: jsonSchema() }).expect(201)
      await post('/api/v2/metadata', follows('sample', 'x', { id: 'doc' }), { document: '{}' }).expect(201)
    })
    after(removeRepositories)

    for (const accept of ['*/*', 'application/json', 'application/xml', 'image/png, */*;q=0.1'])
      it(`of a schema as ${accept} returns the schema document`, async () => {
        expect((await read('/api/v2/schemas/sample', accept).expect(200)).text).to.equal(jsonSchema())
      })

    for (const accept of [oldType, 'image/png'])
      it(`of a schema as ${accept} is refused with 406, and the answer names a type`, async () => {
        const refused = await read('/api/v2/schemas/sample', accept).expect(406)
        expect(refused.body.detail).to.contain(citationType)
      })

    it('of a schema as text/html is redirected to its page', async () => {
      const { headers } = await read('/api/v2/schemas/sample', 'text/html').expect(302)
      expect(headers.location).to.contain('sample')
    })

    it('of an unknown schema is refused with 404 and the id', async () => {
      const { body } = await read('/api/v2/schemas/cd').expect(404)
      expect(body.detail).to.contain("Document with ID 'cd' doesn't exist!")
    })

    it('of a document as image/png returns the document', async () => {
      expect((await read('/api/v2/metadata/doc', 'image/png').expect(200)).text).to.equal('{}')
    })

    it('of a document as a record of version 1 is refused with 406', async () => {
      await read('/api/v2/metadata/doc', oldType).expect(406)
    })
  })

  describe('content information', () => {
    const at = '/api/v2/metadata/doc'
    let made: Response
    let first: Response
    let afterRecord: Response
    let second: Response
    before(async () => {
      await start()
      await post('/api/v2/schemas', titled({ id: 'sample' }), { schema: jsonSchema() }).expect(201)
      made = await post('/api/v2/metadata', follows('sample', 'x', { id: 'doc' }), {
        document: '{"a": 1}',
      }).expect(201)
      first = await read(at, contentType).expect(200)
      const record = await put(at, etagOf(made), { ...made.body, language: 'en' }).expect(200)
      afterRecord = await read(at, contentType).expect(200)
      await put(at, etagOf(record), undefined, { document: '{"a": 22}' }).expect(200)
      second = await read(at, contentType).expect(200)
    })
    after(removeRepositories)

    it('has its media type, the ETag of the record, and Vary', () => {
      expect(first.headers['content-type']).to.equal(contentType)
      expect(first.headers.etag).to.equal(made.headers.etag)
      expect(first.headers.vary).to.contain('Accept')
    })

    it('describes the document and names its record', () => {
      expect(first.body).to.deep.equal({
        id: 1,
        parentResource: {
          id: 'doc',
          identifier: made.body.identifier,
          alternateIdentifiers: made.body.alternateIdentifiers,
        },
        version: 1,
        fileVersion: '1',
        depth: 1,
        contentUri: `${base}${at}?version=1`,
        uploader: 'SELF',
        mediaType: 'application/json',
        hash: `sha1:${sha1('{"a": 1}')}`,
        size: 8,
        metadata: {},
        tags: [],
      })
    })

    it('stays the same after a change of the record alone', () => {
      expect(afterRecord.body).to.deep.equal(first.body)
    })

    it('changes with the bytes of the document', () => {
      expect(second.body).to.include({ version: 2, contentUri: `${base}${at}?version=3`, size: 9 })
    })

    it('of an older version is as it was', async () => {
      expect((await read(`${at}?version=2`, contentType)).body).to.deep.equal(first.body)
    })

    it('of a schema names its version', async () => {
      const { body } = await read('/api/v2/schemas/sample', contentType).expect(200)
      expect(body).to.include({ version: 1, contentUri: `${base}/api/v2/schemas/sample?version=1` })
    })

    it('of an unknown document is refused with 404 and the identifier', async () => {
      const { body } = await read('/api/v2/metadata/none', contentType).expect(404)
      expect(body.detail).to.contain('No content information for identifier none')
    })
  })

  describe('a metadata record with its document, for search engines', () => {
    const index = 'application/vnd.datamanager.acl+json'
    let made: Response
    let answer: Response
    before(async () => {
      await start()
      await service.postSchema({ schemaId: 'sample' }, jsonSchema()).expect(201)
      const acl = [{ sid: 'guest', permission: 'READ' }]
      made = await service
        .postMetadata(metadataRecordV1('r', 'sample', { id: 'doc', acl }), '{"a":1}')
        .expect(201)
      answer = await read('/metastore/api/v1/metadata/doc', index).expect(200)
    })
    after(removeRepositories)

    it('has its media type and the ETag of the record', () => {
      expect(answer.headers['content-type']).to.equal(index)
      expect(answer.headers.etag).to.equal(made.headers.etag)
    })

    for (const mount of ['/metastore/api/v1', '/api/v2', '/repository/api/v2', '/metastore/api/v2'])
      it(`has the id, the readers and the document under ${mount}`, async () => {
        const { body } = await read(`${mount}/metadata/doc`, index).expect(200).expect('Content-Type', index)
        expect(body).to.deep.include({ id: 'doc', read: ['SELF', 'guest'], metadataDocument: { a: 1 } })
      })

    it('has the times of the record as numbers', () => {
      expect(answer.body.lastUpdate).to.equal(Date.parse(made.body.lastUpdate))
      expect(answer.body.created).to.equal(Date.parse(made.body.createdAt))
    })

    it('has the record in the form of version 2', async () => {
      expect(answer.body.metadataRecord).to.deep.equal((await read('/metastore/api/v2/metadata/doc')).body)
    })
  })

  describe('an entry without text', () => {
    const descriptions = [
      { type: 'OTHER', description: null },
      { type: 'ABSTRACT', description: '' },
      { type: 'METHODS', description: 'kept' },
    ]
    const titles = [{ value: 'T' }, { value: null, lang: 'de' }]
    let made: Response
    let none: Response
    before(async () => {
      await start()
      const record = { id: 'sample', titles, descriptions }
      made = await post('/api/v2/schemas', record, { schema: jsonSchema() }).expect(201)
      const sent = { ...made.body, descriptions: [descriptions[0]] }
      none = await put('/api/v2/schemas/sample', etagOf(made), sent).expect(200)
    })
    after(removeRepositories)

    it('is removed from the descriptions and titles of a new record', () => {
      expect(made.body.descriptions).to.deep.equal([{ id: 1, type: 'METHODS', description: 'kept' }])
      expect(made.body.titles).to.deep.equal([{ id: 1, value: 'T' }])
    })

    it('leaves a record without descriptions if it is the only one', () => {
      expect(none.body).to.not.have.property('descriptions')
    })

    for (const empty of ['', null]) {
      const sent = {
        dates: [
          { value: empty, type: 'ISSUED' },
          { value: '2020-01-01T00:00:00Z', type: 'VALID' },
        ],
        resourceType: { value: empty, typeGeneral: 'MODEL' },
      }

      it(`is removed from the dates: ${JSON.stringify(empty)}`, async () => {
        const later = await put('/api/v2/schemas/sample', '*', { ...none.body, ...sent }).expect(200)
        const types = (later.body.dates as { type: string }[]).map(({ type }) => type)
        expect(types).to.include('VALID').and.to.not.include('ISSUED')
      })

      it(`can be the resource type in a PUT: ${JSON.stringify(empty)}`, async () => {
        await put('/api/v2/schemas/sample', '*', { ...none.body, resourceType: empty }).expect(200)
      })

      it(`can be a date and the resource type in a POST: ${JSON.stringify(empty)}`, async () => {
        await post('/api/v2/schemas', titled({ id: `with-${empty}`, ...sent }), {
          schema: jsonSchema(),
        }).expect(201)
      })
    }

    for (const unseen of ['', '\u200b', '\u00ad\u2060', '\u0001', '\u3164'])
      it(`is refused as an identifier: the text of the bytes <${Buffer.from(unseen).toString('hex')}>`, async () => {
        const at = { alternateIdentifiers: [{ value: unseen, identifierType: 'OTHER' }] }
        const { body } = await post('/api/v2/schemas', titled({ id: 'unseen', ...at }), {
          schema: jsonSchema(),
        }).expect(400)
        expect(body.detail).to.match(/alternateIdentifiers\[0\]\.value is (blank|missing)/)
      })

    it('is refused as an identifier: a space', async () => {
      const blank = titled({ id: 'blank', alternateIdentifiers: [{ value: ' ', identifierType: 'OTHER' }] })
      const refused = await post('/api/v2/schemas', blank, { schema: jsonSchema() }).expect(400)
      expect(refused.body.detail).to.contain('alternateIdentifiers[0].value is blank')
    })

    it('is refused as the resource of a document: a space and a tab', async () => {
      const related = await post('/api/v2/metadata', follows('sample', ' \t'), { document: '{}' }).expect(400)
      expect(related.body.detail).to.contain('is blank')
    })
  })

  describe('rules for records', () => {
    beforeEach(start)
    afterEach(removeRepositories)

    it('stores any record and shows it in both versions; sending it back changes nothing', async () => {
      await service.postSchema({ schemaId: 'any' }, jsonSchema()).expect(201)
      let count = 0
      await fc.assert(
        fc.asyncProperty(arbitraryVersion2Record(), async sent => {
          const resource = `https://example.org/any/${count++}`
          const { alternateIdentifiers: _, identifier: __, ...others } = sent
          const { relatedIdentifiers: relations = [] } = sent as {
            relatedIdentifiers?: { relationType: string }[]
          }
          const record = {
            ...others,
            relatedIdentifiers: [
              ...relations.filter(
                ({ relationType }) => !/^(?:HAS_?METADATA|IS_?METADATA_?FOR)$/.test(relationType),
              ),
              { identifierType: 'URL', value: resource, relationType: 'IS_METADATA_FOR' },
              { identifierType: 'INTERNAL', value: 'any', relationType: 'HAS_METADATA' },
            ],
            identifier: { value: `10.5072/${count}`, identifierType: 'DOI' },
            alternateIdentifiers: [{ value: `any:${count}`, identifierType: 'OTHER' }],
          }
          const made = await post('/api/v2/metadata', record, { document: '{}' })
          expect(made.status, made.text).to.equal(201)
          const at = `metadata/${made.body.id}`
          const again = await put(`/api/v2/${at}`, etagOf(made), made.body)
          expect(again.status, again.text).to.equal(200)
          expect(again.headers.etag).to.equal(made.headers.etag)
          const v1 = await read(`/api/v1/${at}`, 'application/vnd.repository.metadata-record+json').expect(
            200,
          )
          const back = await put(`/api/v1/${at}`, etagOf(v1), v1.body)
          expect(back.status, back.text).to.equal(200)
          expect(back.headers.etag).to.equal(made.headers.etag)
          expect((await read(`/api/v2/${at}`).expect(200)).body).to.deep.equal(made.body)
        }),
        { numRuns: 25 },
      )
    }).timeout(120_000)

    it('keeps the state FIXED if none is sent, and refuses states that only DELETE sets', async () => {
      await post('/api/v2/schemas', titled({ id: 'sample' }), { schema: jsonSchema() }).expect(201)
      const made = await post('/api/v2/metadata', follows('sample', 'x', { state: 'FIXED' }), {
        document: '{}',
      }).expect(201)
      expect(made.body.state).to.equal('FIXED')
      const at = `/api/v2/metadata/${made.body.id}`
      for (const state of ['REVOKED', 'GONE'])
        expect((await put(at, etagOf(made), { ...made.body, state }).expect(400)).body.detail).to.contain(
          'DELETE',
        )
      await post('/api/v2/metadata', follows('sample', 'y', { state: 'GONE' }), { document: '{}' }).expect(
        400,
      )
      const kept = await put(at, etagOf(made), { ...made.body, state: undefined, language: 'en' }).expect(200)
      expect(kept.body.state).to.equal('FIXED')
    })

    it('refuses a second document for a resource and schema, for each of its resources', async () => {
      await post('/api/v2/schemas', titled({ id: 'sample' }), { schema: jsonSchema() }).expect(201)
      const [first, second] = ['https://example.org/1', 'https://example.org/2'].map(value => ({
        identifierType: 'URL',
        value,
        relationType: 'IS_METADATA_FOR',
      }))
      const schema = { identifierType: 'INTERNAL', value: 'sample', relationType: 'HAS_METADATA' }
      await post('/api/v2/metadata', titled({ relatedIdentifiers: [first, second, schema] }), {
        document: '{}',
      }).expect(201)
      const refused = await service
        .postMetadata(metadataRecordV1('https://example.org/2', 'sample'), '{}')
        .expect(409)
      expect(refused.body.detail).to.contain('Conflict').and.to.contain('https://example.org/2')
    })
  })

  const relation = (answer: Response, type: string) =>
    (answer.body.relatedIdentifiers as { relationType: string; value: string }[])
      .filter(({ relationType }) => relationType === type)
      .map(({ value }) => value)
  const versionOf = ({ version }: { version: string }) => version
})

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}
