import { expect } from 'chai'
import type { Response } from 'supertest'
import type { Identify } from '../../../../src/http/auth/identify-caller.js'
import { jsonSchema, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const recordTypes = {
  '/api/v1/schemas': 'application/vnd.repository.schema-record+json',
  '/api/v1/metadata': 'application/vnd.repository.metadata-record+json',
  '/api/v2/schemas': 'application/vnd.datacite.org+json',
  '/api/v2/metadata': 'application/vnd.datacite.org+json',
} as const
type Collection = keyof typeof recordTypes

/** The header `X-Caller` names the caller. */
const identify: Identify = ctx => {
  const sid = ctx.get('X-Caller')
  return { sid, name: sid, email: `${sid}@example.org`, administrator: false, groups: [] }
}

describe('the state of a record', () => {
  let service: TestService
  let changes = 0
  beforeEach(async () => {
    service = await startService({ identify })
    const made = await send('post', '/api/v2/schemas', 'owner', { ...titled, id: 'note', acls }, 'schema')
    expect(made.status).to.equal(201)
    const relatedIdentifiers = [
      { identifierType: 'URL', value: 'http://x/1', relationType: 'IS_METADATA_FOR' },
      { identifierType: 'INTERNAL', value: 'note', relationType: 'HAS_METADATA' },
    ]
    const record = { ...titled, id: 'doc', acls, relatedIdentifiers }
    expect((await send('post', '/api/v2/metadata', 'owner', record, 'document')).status).to.equal(201)
  })
  afterEach(removeRepositories)

  const titled = { titles: [{ value: 'A title' }] }
  const acls = [
    { sid: 'owner', permission: 'ADMINISTRATE' },
    { sid: 'writer', permission: 'WRITE' },
  ]
  const documents = { schema: jsonSchema(), document: '{"title":"x"}' }

  async function send(
    method: 'post' | 'put',
    path: string,
    caller: string,
    record: unknown,
    part?: keyof typeof documents,
  ): Promise<Response> {
    const sent = service.http[method](path).set('X-Caller', caller).set('If-Match', '*')
    if (record !== undefined) sent.attach('record', Buffer.from(JSON.stringify(record)), 'record.json')
    if (part) sent.attach(part, Buffer.from(documents[part]), part)
    return await sent
  }

  for (const [kind, id] of [
    ['schemas', 'note'],
    ['metadata', 'doc'],
  ] as const) {
    const collections = [`/api/v1/${kind}`, `/api/v2/${kind}`] as const
    const second: Collection = `/api/v2/${kind}`

    async function read(collection: Collection, caller: string): Promise<Response> {
      const type = recordTypes[collection]
      return await service.http.get(`${collection}/${id}`).set({ 'X-Caller': caller, Accept: type })
    }
    /** Sends the record of the owner back, with a change that both versions can express. */
    async function change(collection: Collection, caller: string, more: object = {}): Promise<number> {
      const { body } = await read(collection, 'owner')
      const another = `http://x/${++changes}`
      const record = collection.startsWith('/api/v1')
        ? { ...body, licenseUri: another }
        : { ...body, publisher: another, ...more }
      return (await send('put', `${collection}/${id}`, caller, record)).status
    }
    async function listed(collection: Collection, caller: string): Promise<number> {
      return (await service.http.get(collection).set('X-Caller', caller).expect(200)).body.length
    }

    it(`FIXED allows changes of ${kind} only with ADMINISTRATE, in both versions`, async () => {
      for (const collection of collections) expect(await change(collection, 'writer')).to.equal(200)
      expect(await change(second, 'writer', { state: 'FIXED' })).to.equal(403)
      expect(await change(second, 'owner', { state: 'FIXED' })).to.equal(200)

      await service.storesNothing(async () => {
        for (const collection of collections) {
          expect((await read(collection, 'writer')).status).to.equal(200)
          expect(await change(collection, 'writer'), collection).to.equal(403)
          const part = kind === 'schemas' ? 'schema' : 'document'
          expect((await send('put', `${collection}/${id}`, 'writer', undefined, part)).status).to.equal(403)
          const removal = service.http.delete(`${collection}/${id}`).set('X-Caller', 'writer')
          // The answer to a caller without ADMINISTRATE does not reveal that documents follow the schema.
          await removal.set('If-Match', '*').expect(403)
        }
        expect(await change(second, 'writer', { state: 'VOLATILE' })).to.equal(403)
      })

      for (const collection of collections) expect(await change(collection, 'owner')).to.equal(200)
      expect((await read(second, 'owner')).body.state).to.equal('FIXED')
      expect(await change(second, 'owner', { state: 'VOLATILE' })).to.equal(200)
      for (const collection of collections) expect(await change(collection, 'writer')).to.equal(200)
    })

    it(`REVOKED hides ${kind} from callers without ADMINISTRATE, in both versions`, async () => {
      const remove = (name: string, path: string) =>
        service.http.delete(path).set('X-Caller', name).set('If-Match', '*')
      // A schema that documents follow cannot be deleted.
      if (kind === 'schemas') {
        await remove('owner', '/api/v2/metadata/doc').expect(204)
        await remove('owner', '/api/v2/metadata/doc').expect(204)
      }
      await remove('owner', `${second}/${id}`).expect(204)

      await service.storesNothing(async () => {
        for (const collection of collections) {
          expect((await read(collection, 'writer')).status, collection).to.equal(404)
          expect(await change(collection, 'writer'), collection).to.equal(404)
          expect(await listed(collection, 'writer'), collection).to.equal(0)
          expect((await read(collection, 'owner')).status, collection).to.equal(200)
          expect(await listed(collection, 'owner'), collection).to.equal(1)
        }
      })

      expect(await change(second, 'owner', { state: 'VOLATILE' })).to.equal(200)
      for (const collection of collections) {
        expect((await read(collection, 'writer')).status, collection).to.equal(200)
        expect(await change(collection, 'writer'), collection).to.equal(200)
        expect(await listed(collection, 'writer'), collection).to.equal(1)
      }
    })
  }
})
