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
  after(removeRepositories)

  /** Starts a service with a schema and a document, which `owner` may administrate and `writer` may change. */
  async function start(): Promise<void> {
    service = await startService({ identify })
    const made = await send('post', '/api/v2/schemas', 'owner', { ...titled, id: 'note', acls }, 'schema')
    expect(made.status).to.equal(201)
    const relatedIdentifiers = [
      { identifierType: 'URL', value: 'http://x/1', relationType: 'IS_METADATA_FOR' },
      { identifierType: 'INTERNAL', value: 'note', relationType: 'HAS_METADATA' },
    ]
    const record = { ...titled, id: 'doc', acls, relatedIdentifiers }
    expect((await send('post', '/api/v2/metadata', 'owner', record, 'document')).status).to.equal(201)
  }

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

    describe(`of ${kind}`, () => {
      before(start)

      it('may be VOLATILE, which allows changes with WRITE, in both versions', async () => {
        for (const collection of collections) expect(await change(collection, 'writer')).to.equal(200)
      })

      it('is not changed from VOLATILE to FIXED with WRITE', async () => {
        expect(await change(second, 'writer', { state: 'FIXED' })).to.equal(403)
      })

      describe('that is FIXED', () => {
        before(async () => expect(await change(second, 'owner', { state: 'FIXED' })).to.equal(200))

        it('allows reads with WRITE, in both versions', async () => {
          for (const collection of collections)
            expect((await read(collection, 'writer')).status, collection).to.equal(200)
        })

        it('refuses changes of the record with WRITE, in both versions', async () => {
          await service.storesNothing(async () => {
            for (const collection of collections)
              expect(await change(collection, 'writer'), collection).to.equal(403)
          })
        })

        it('refuses another document with WRITE, in both versions', async () => {
          const part = kind === 'schemas' ? 'schema' : 'document'
          await service.storesNothing(async () => {
            for (const collection of collections) {
              const answer = await send('put', `${collection}/${id}`, 'writer', undefined, part)
              expect(answer.status, collection).to.equal(403)
            }
          })
        })

        it('refuses a deletion with WRITE, in both versions', async () => {
          await service.storesNothing(async () => {
            for (const collection of collections) {
              const removal = service.http.delete(`${collection}/${id}`).set('X-Caller', 'writer')
              // The answer to a caller without ADMINISTRATE does not reveal that documents follow the schema.
              await removal.set('If-Match', '*').expect(403)
            }
          })
        })

        it('stays after a change with ADMINISTRATE, in both versions', async () => {
          for (const collection of collections) expect(await change(collection, 'owner')).to.equal(200)
          expect((await read(second, 'owner')).body.state).to.equal('FIXED')
        })

        it('is not changed to VOLATILE with WRITE', async () => {
          await service.storesNothing(async () => {
            expect(await change(second, 'writer', { state: 'VOLATILE' })).to.equal(403)
          })
        })

        it('allows changes with WRITE once ADMINISTRATE has changed it to VOLATILE', async () => {
          expect(await change(second, 'owner', { state: 'VOLATILE' })).to.equal(200)
          for (const collection of collections) expect(await change(collection, 'writer')).to.equal(200)
        })
      })
    })

    describe(`of ${kind} that is REVOKED`, () => {
      before(async () => {
        await start()
        const remove = (path: string) =>
          service.http.delete(path).set({ 'X-Caller': 'owner', 'If-Match': '*' }).expect(204)
        // A schema that documents follow cannot be deleted.
        if (kind === 'schemas') for (let step = 0; step < 2; step++) await remove('/api/v2/metadata/doc')
        await remove(`${second}/${id}`)
      })

      it('answers 404 to a caller with WRITE, and leaves the record out of lists', async () => {
        for (const collection of collections) {
          expect((await read(collection, 'writer')).status, collection).to.equal(404)
          expect(await listed(collection, 'writer'), collection).to.equal(0)
        }
      })

      it('answers 404 to a change with WRITE', async () => {
        await service.storesNothing(async () => {
          for (const collection of collections)
            expect(await change(collection, 'writer'), collection).to.equal(404)
        })
      })

      it('shows the record with ADMINISTRATE, also in lists', async () => {
        for (const collection of collections) {
          expect((await read(collection, 'owner')).status, collection).to.equal(200)
          expect(await listed(collection, 'owner'), collection).to.equal(1)
        }
      })

      describe('and then VOLATILE again', () => {
        before(async () => expect(await change(second, 'owner', { state: 'VOLATILE' })).to.equal(200))

        it('shows the record with WRITE, also in lists, and allows changes', async () => {
          for (const collection of collections) {
            expect((await read(collection, 'writer')).status, collection).to.equal(200)
            expect(await change(collection, 'writer'), collection).to.equal(200)
            expect(await listed(collection, 'writer'), collection).to.equal(1)
          }
        })
      })
    })
  }
})
