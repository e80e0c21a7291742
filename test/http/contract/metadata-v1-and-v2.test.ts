// test-schedule: first
import { expect } from 'chai'
import type request from 'supertest'
import { getRefusals, postRefusals, putRefusals } from '../../support/data/metadata-refusals.js'
import {
  apiClient,
  type Client,
  formFile,
  testRefusals,
  version1,
  version2,
} from '../../support/http/api-versions.js'
import {
  etagOf,
  jsonSchema,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/*
 * Rules of the contract for metadata.
 * @see docs/contract.md#order-of-checks; docs/contract.md#documents; docs/contract.md#versions-of-metadata
 */

for (const spoken of [version1(), version2()]) {
  describe(`metadata in version ${spoken.version}`, () => {
    let service: TestService
    let client: Client
    const started = () => ({ service, client })

    async function start(): Promise<void> {
      service = await startService()
      client = apiClient(service, spoken)
      await client.postSchema('json', jsonSchema('title')).expect(201)
      await client.postSchema('xml', noteXsdText).expect(201)
    }

    /** Starts the service that the cases of `metadata-refusals` describe. */
    async function startFull(): Promise<void> {
      await start()
      for (const id of ['revoked', 'gone']) {
        await client.postSchema(id, jsonSchema()).expect(201)
        await client.delete(`/schemas/${id}`, '*').expect(204)
      }
      await client.delete('/schemas/gone', '*').expect(204)
      const ids = ['document', 'other', 'revoked-document', 'gone-document']
      for (const [index, id] of ids.entries()) {
        await client.postMetadata(`http://x/${index + 1}`, 'json', '{"title":"a"}', { id }).expect(201)
      }
      for (const id of ['revoked-document', 'gone-document', 'gone-document']) {
        await client.delete(`/metadata/${id}`, '*').expect(204)
      }
      await client.put('schemas', 'json', '*', undefined, jsonSchema('title', 'date')).expect(200)
    }

    describe('a POST is refused', () => {
      before(startFull)
      after(removeRepositories)
      testRefusals(postRefusals(spoken), started)
    })

    describe('a GET is refused', () => {
      before(startFull)
      after(removeRepositories)
      testRefusals(getRefusals, started)
    })

    describe('a PUT is refused, in the order of the checks', () => {
      before(startFull)
      after(removeRepositories)
      testRefusals(putRefusals(spoken), started)
    })

    describe('a POST', () => {
      beforeEach(start)
      afterEach(removeRepositories)

      it('answers exactly the bytes that a GET of its Location returns', async () => {
        const created = await client.postMetadata('http://x/1', 'json', '{"title":"a"}').expect(201)
        const { pathname, search } = new URL(created.headers.location ?? '')
        const read = await service.http
          .get(pathname + search)
          .set('Accept', spoken.recordTypes.metadata[0] ?? '')
          .expect(200)
        expect(read.text).to.equal(created.text)
        expect(etagOf(read)).to.equal(etagOf(created))
      })

      it('accepts one resource with two schemas, and two resources with one schema', async () => {
        await client.postMetadata('http://x/1', 'json', '{"title":"a"}').expect(201)
        await client.postMetadata('http://x/1', 'xml', noteXml).expect(201)
        await client.postMetadata('http://x/2', 'json', '{"title":"a"}').expect(201)
      })

      it('accepts a resource again after its document is GONE', async () => {
        const { body } = await client.postMetadata('http://x/1', 'json', '{"title":"a"}').expect(201)
        await client.delete(`/metadata/${body.id}`, '*').expect(204)
        await client.delete(`/metadata/${body.id}`, '*').expect(204)
        await client.postMetadata('http://x/1', 'json', '{"title":"a"}').expect(201)
      })

      it('accepts upper-case ids, which differ from lower-case ones', async () => {
        await client.postMetadata('http://x/1', 'json', '{"title":"a"}', { id: 'My.Document' }).expect(201)
        await client.postMetadata('http://x/2', 'json', '{"title":"a"}', { id: 'my.document' }).expect(201)
        expect((await client.record('/metadata/My.Document').expect(200)).headers.etag).not.to.equal(
          (await client.record('/metadata/my.document').expect(200)).headers.etag,
        )
      })

      it('uses the newest schema version if none is named', async () => {
        await client.put('schemas', 'json', '*', undefined, jsonSchema('title', 'date')).expect(200)
        await client.postMetadata('http://x/1', 'json', '{"title":"a"}').expect(422)
        const { text } = await client
          .postMetadata('http://x/1', 'json', '{"title":"a","date":"b"}')
          .expect(201)
        expect(text).to.include('/schemas/json?version=2')
      })

      it('keeps the bytes: line ends, white space, byte order marks', async () => {
        let number = 0
        for (const [schema, content] of [
          ['json', '\ufeff{"title" : "ü"}\r\n\t '],
          ['xml', `\ufeff<?xml version="1.0"?>\r\n${noteXml}<!-- end -->\n`],
          ['xml', Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${noteXml}`, 'utf16le')],
        ] as const) {
          const created = await client.postMetadata(`http://x/${++number}`, schema, content)
          expect(created.status, created.text).to.equal(201)
          const read = await client.get(`/metadata/${created.body.id}`).responseType('blob').expect(200)
          expect((read.body as Buffer).equals(Buffer.from(content))).to.equal(true)
        }
      })
    })

    describe('PUTs that change the document, nothing, the record, nothing, and the document', () => {
      let answers: readonly request.Response[]
      before(async () => {
        await start()
        const first = await client.postMetadata('http://x/1', 'json', '{"title":"a"}').expect(201)
        const put = (record?: unknown, document?: string) =>
          client.put('metadata', first.body.id, '*', record, document).expect(200)
        const acls = { [spoken.version === 1 ? 'acl' : 'acls']: [{ sid: 'guest', permission: 'READ' }] }
        answers = [
          first,
          await put(undefined, '{"title":"b"}'),
          await put(undefined, '{"title":"b"}'),
          await put({ ...first.body, ...acls }),
          await put({ ...first.body, ...acls }, '{"title":"b"}'),
          await put({ ...first.body, ...acls }, '{"title":"c"}'),
        ]
      })
      after(removeRepositories)

      it('make a new version for each change, and none otherwise', () => {
        const version = spoken.version === 1 ? 'recordVersion' : 'version'
        expect(answers.map(answer => Number(answer.body[version]))).to.deep.equal([1, 2, 2, 3, 3, 4])
      })

      it('have a new ETag for each change, and the same otherwise', () => {
        const tags = answers.map(etagOf)
        expect(tags[2]).to.equal(tags[1])
        expect(tags[4]).to.equal(tags[3])
        expect(new Set(tags).size).to.equal(4)
      })

      it('have a later time of the last update for each change', () => {
        const times = answers.map(answer => Date.parse(answer.body.lastUpdate))
        expect(times).to.deep.equal(times.toSorted((a, b) => a - b))
        expect(new Set(times).size).to.equal(4)
      })
    })

    describe('a PUT', () => {
      let first: request.Response
      let id: string
      const put = (record?: unknown, document?: string) => client.put('metadata', id, '*', record, document)
      const read = async (query = '') =>
        JSON.parse((await client.record(`/metadata/${id}${query}`).expect(200)).text)
      const version = spoken.version === 1 ? 'recordVersion' : 'version'

      beforeEach(async () => {
        await start()
        first = await client.postMetadata('http://x/1', 'json', '{"title":"a"}').expect(201)
        id = first.body.id
      })
      afterEach(removeRepositories)

      it('accepts the ETag of the POST', async () => {
        await client.put('metadata', id, etagOf(first), undefined, '{"title":"b"}').expect(200)
        await client.put('metadata', id, etagOf(first), undefined, '{"title":"c"}').expect(412)
      })

      it('uses the id in the path, and ignores members that the server sets', async () => {
        const sent = { ...first.body, id: 'another', [version]: 0, lastUpdate: '2001-01-01T00:00:00Z' }
        const same = await put(sent).expect(200)
        expect(same.text).to.equal(first.text)
        const next = await put(sent, '{"title":"b"}').expect(200)
        expect(next.body).to.include({ id })
        expect(Number(next.body[version])).to.equal(2)
        await client.record('/metadata/another').expect(404)
      })

      it('ignores a ?version= and a text part version', async () => {
        await put(undefined, '{"title":"b"}').expect(200)
        const parts = [formFile('document', '{"title":"c"}'), { name: 'version', content: '1' }]
        const answer = await client
          .send('put', `/metadata/${id}?version=1`, parts, { 'If-Match': '*' })
          .expect(200)
        expect(Number(answer.body[version])).to.equal(3)
      })

      it('keeps every version readable, as record and as document, with its ETag', async () => {
        const second = await put(undefined, '{"title":"b"}').expect(200)
        expect(await read('?version=1')).to.deep.equal(first.body)
        expect(await read('?version=2')).to.deep.equal(second.body)
        for (const [number, answer, document] of [
          [1, first, '{"title":"a"}'],
          [2, second, '{"title":"b"}'],
        ] as const) {
          const stored = await client.get(`/metadata/${id}?version=${number}`).expect(200)
          expect(stored.text).to.equal(document)
          expect(etagOf(stored)).to.equal(etagOf(answer))
        }
      })

      it('leaves a REVOKED record readable for its administrators, and its revocation counts as a version', async () => {
        await client.delete(`/metadata/${id}`, etagOf(first)).expect(204)
        expect(Number((await read())[version])).to.equal(2)
        await client.delete(`/metadata/${id}`, etagOf(first)).expect(412)
        await client.delete(`/metadata/${id}`).expect(428)
      })

      if (spoken.version === 1) {
        it('can change the resource, its type, and the schema', async () => {
          const relatedResource = { identifier: '978-3-16-148410-0', identifierType: 'ISBN' }
          expect((await put({ relatedResource }).expect(200)).body.relatedResource).to.deep.equal(
            relatedResource,
          )
          const schema = { identifier: 'xml', identifierType: 'INTERNAL' }
          const moved = await put({ schema }, noteXml).expect(200)
          expect(moved.body.schema.identifier).to.include('/schemas/xml?version=1')
          expect((await client.get(`/metadata/${id}`)).headers['content-type']).to.equal('application/xml')
        })

        it('can set, change, keep and remove a licence', async () => {
          const licence = async (record: unknown) => (await put(record).expect(200)).body.licenseUri
          expect(await licence({ licenseUri: 'https://example.org/a' })).to.equal('https://example.org/a')
          expect(await licence({ licenseUri: 'https://example.org/b' })).to.equal('https://example.org/b')
          expect(await licence({ pid: '10.1/x' })).to.equal('https://example.org/b')
          expect(await licence({ licenseUri: null })).to.equal(undefined)
        })

        it('can set, keep and remove a pid, as a string and as an object', async () => {
          const pid = async (record: unknown) => (await put(record).expect(200)).body.pid
          expect(await pid({ pid: '10.1/x' })).to.equal('10.1/x')
          expect(await pid({ licenseUri: 'https://example.org/a' })).to.equal('10.1/x')
          const object = { identifier: '10.1/y', identifierType: 'DOI' }
          expect(await pid({ pid: { id: 7, ...object } })).to.deep.equal(object)
          expect(await pid({ pid: null })).to.equal(undefined)
        })

        it('keeps the time of creation, sent or not', async () => {
          const { createdAt: _, ...record } = first.body
          const without = await put(record, '{"title":"b"}').expect(200)
          const other = await put({ ...record, createdAt: '2001-01-01T00:00:00Z' }, '{"title":"c"}').expect(
            200,
          )
          expect([without.body.createdAt, other.body.createdAt]).to.deep.equal(
            Array(2).fill(first.body.createdAt),
          )
        })

        it('keeps the stored ACL if it is absent, null or empty, and ignores the order and ids of entries', async () => {
          const acl = [
            { sid: 'guest', permission: 'READ' },
            { sid: 'SELF', permission: 'ADMINISTRATE' },
          ]
          const second = await put({ acl }).expect(200)
          for (const sent of [{}, { acl: null }, { acl: [] }, { acl }, { acl: acl.toReversed() }]) {
            expect((await put({ ...sent, licenseUri: null }).expect(200)).text).to.equal(second.text)
          }
        })

        it('can increase and decrease schemaVersion, if the document is valid', async () => {
          await client.put('schemas', 'json', '*', undefined, jsonSchema('title', 'date')).expect(200)
          await put({ schemaVersion: 2 }).expect(422)
          expect(
            (await put({ schemaVersion: 2 }, '{"title":"a","date":"b"}').expect(200)).body.schemaVersion,
          ).to.equal(2)
          expect((await put({ schemaVersion: 1 }).expect(200)).body.schemaVersion).to.equal(1)
        })
      }
    })

    describe('a DELETE, in the order of the checks,', () => {
      beforeEach(async () => {
        await start()
        await client.postMetadata('http://x/1', 'json', '{"title":"a"}', { id: 'document' }).expect(201)
      })
      afterEach(removeRepositories)

      it('is refused with 428 without If-Match, even if the record does not exist', async () => {
        await client.delete('/metadata/document').expect(428)
        await client.delete('/metadata/unknown').expect(428)
      })

      it('is refused with 404 for an id that is unknown or of the other kind, with any ETag', async () => {
        for (const id of ['unknown', 'json', 'a%2Fb']) {
          await client.delete(`/metadata/${id}`, '*').expect(404)
          await client.delete(`/metadata/${id}`, '"x"').expect(404)
        }
      })

      it('is refused with 412 for another ETag', async () => {
        for (const tag of ['"x"', 'W/"x"', 'x']) await client.delete('/metadata/document', tag).expect(412)
      })
    })

    describe('two DELETEs with current ETags', () => {
      let deleted: request.Response
      let listWhileRevoked: request.Response
      let deletedTwice: request.Response
      let listOnceGone: request.Response
      let found: request.Response
      let deletedThrice: request.Response
      let deletedSchema: request.Response
      before(async () => {
        await start()
        await client.postMetadata('http://x/1', 'json', '{"title":"a"}', { id: 'document' }).expect(201)
        const first = etagOf(await client.record('/metadata/document').expect(200))
        deleted = await client.delete('/metadata/document', first)
        listWhileRevoked = await client.get('/metadata').expect(200)
        const revoked = etagOf(await client.record('/metadata/document').expect(200))
        deletedTwice = await client.delete('/metadata/document', revoked)
        listOnceGone = await client.get('/metadata').expect(200)
        found = await client.record('/metadata/document')
        deletedThrice = await client.delete('/metadata/document', revoked)
        deletedSchema = await client.delete('/schemas/json', '*')
      })
      after(removeRepositories)

      it('succeed with 204', () => {
        expect([deleted.status, deletedTwice.status]).to.deep.equal([204, 204])
      })

      it('keep the record in the list while REVOKED, and remove it once GONE', () => {
        expect(listWhileRevoked.body).to.have.length(1)
        expect(listOnceGone.body).to.deep.equal([])
      })

      it('make the record GONE: a GET and a third DELETE are refused with 404', () => {
        expect(found.status).to.equal(404)
        expect(deletedThrice.status).to.equal(404)
      })

      it('allow a DELETE of the schema', () => {
        expect(deletedSchema.status).to.equal(204)
      })
    })
  })
}
