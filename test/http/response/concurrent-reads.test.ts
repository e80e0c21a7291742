import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  schemaType,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Headers that differ from answer to answer. */
const ofTheMoment = ['date', 'x-request-id', 'connection', 'keep-alive']

describe('records and documents that many clients request at once', () => {
  let service: TestService
  let address: string
  const ids = Array.from({ length: isLongForm ? 30 : 12 }, (_, number) => `record-${number}`)

  async function start(...args: Parameters<typeof startService>): Promise<void> {
    service = await startService(...args)
    address = `http://127.0.0.1:${service.port}`
  }
  afterEach(removeRepositories)

  async function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await fetch(address + path, { headers, redirect: 'manual' })
    const shown = [...answer.headers].filter(([name]) => !ofTheMoment.includes(name))
    return { status: answer.status, headers: Object.fromEntries(shown), text: await answer.text() }
  }

  /** Answers to requests that are sent one after the other. */
  async function oneByOne(asked: readonly Parameters<typeof get>[]): Promise<Answer[]> {
    const answers: Answer[] = []
    for (const each of asked) answers.push(await get(...each))
    return answers
  }
  const atOnce = (asked: readonly Parameters<typeof get>[]) => Promise.all(asked.map(each => get(...each)))

  async function fill(headers: Record<string, string> = {}): Promise<void> {
    const { http } = service
    const post = (path: string, part: string, record: unknown, document: string) =>
      http
        .post(path)
        .set(headers)
        .attach('record', Buffer.from(JSON.stringify(record)), 'record.json')
        .attach(part, Buffer.from(document), part)
        .expect(201)
    await post('/api/v1/schemas', 'schema', { schemaId: 'note', label: 'Größe' }, jsonSchema())
    for (const id of ids) {
      const document = JSON.stringify({ title: id === 'record-3' ? 'long '.repeat(20_000) : `größer: ${id}` })
      await post(
        '/api/v1/metadata',
        'document',
        { id, ...metadataRecordV1(`https://example.org/${id}`, 'note') },
        document,
      )
    }
  }

  it('equal the answers to single requests, in every representation', async () => {
    await start()
    await fill()
    const etag = etagOf(await service.http.get('/api/v1/metadata/record-5').expect(200))
    const v2 = 'application/vnd.datacite.org+json'
    const asked = ids.flatMap((id): Parameters<typeof get>[] => [
      [`/api/v1/metadata/${id}`],
      [`/api/v1/metadata/${id}`, { Accept: metadataType }],
      [`/api/v2/metadata/${id}`, { Accept: v2 }],
      [`/metastore/api/v2/metadata/${id}`, { Accept: v2, Host: 'elsewhere.example.org' }],
      [`/api/v1/metadata/${id}`, { Accept: 'text/html' }],
      [`/api/v1/metadata/${id}?version=1`],
      [`/api/v1/metadata/${id}?version=2`],
      [`/api/v1/metadata/no-${id}`, { Accept: metadataType }],
      [`/api/v1/metadata/${id}`, { 'If-None-Match': etag }],
      [`/api/v1/metadata/${id}`, { 'If-None-Match': etag, Accept: metadataType }],
      [`/api/v1/schemas/note`, { Accept: schemaType }],
      ['/api/v1/schemas/note'],
      [`/api/v1/schemas/${id}`],
      [`/api/v1/metadata/${id}?at=${'0'.repeat(40)}`],
    ])
    const alone = await oneByOne(asked)

    expect(await atOnce(asked)).to.deep.equal(alone)

    expect(new Set(alone.map(({ status }) => status))).to.deep.equal(new Set([200, 302, 304, 404]))
    expect(alone.filter(({ text }) => text.includes('größer')).length).to.be.greaterThan(2 * (ids.length - 1))
    // Now the documents are in new packs, as deltas.
    await service.repository.git('repack', '-a', '-d', '-f', '-q')
    expect(await atOnce(asked)).to.deep.equal(alone)
  })

  it('are returned only to callers who may read them', async () => {
    await start({ identify: identifyWithTestSecret })
    const [owner, other, administrator] = await Promise.all([
      userToken('owner'),
      userToken('other'),
      userToken('admin', ['ADMINISTRATOR']),
    ])
    const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
    await fill(bearer(owner))
    const callers = [{}, bearer(owner), bearer(other), bearer(administrator)]
    const asked = ids.flatMap(id =>
      callers.flatMap((headers): Parameters<typeof get>[] => [
        [`/api/v1/metadata/${id}`, headers],
        [`/api/v1/metadata/${id}`, { ...headers, Accept: metadataType }],
        [`/api/v1/metadata/no-${id}`, headers],
      ]),
    )
    const alone = await oneByOne(asked)

    expect(await atOnce(asked)).to.deep.equal(alone)

    const statuses = callers.map((_, index) => alone[index * 3]?.status)
    expect(statuses).to.deep.equal([403, 200, 403, 200])
  })

  it('include every acknowledged change, while others change them', async () => {
    await start()
    await fill()
    const stop = new AbortController()
    const readers = ids.slice(0, 20).map(async id => {
      let read = 0
      while (!stop.signal.aborted) {
        const answer = await get(`/api/v1/metadata/${id}`)
        expect(answer.status, answer.text).to.equal(200)
        read++
      }
      return read
    })

    await Promise.all(
      ids.map(async id => {
        let etag = '*'
        for (let round = 0; round < 5; round++) {
          const document = JSON.stringify({ title: `${id}, ${round}` })
          let answer = await service.putMetadata(id, etag, undefined, document)
          // On a busy machine, updates wait too long and are refused.
          for (; answer.status === 503; answer = await service.putMetadata(id, etag, undefined, document))
            await sleep(1000)
          expect(answer.status, answer.text).to.equal(200)
          etag = etagOf(answer)
          const [bytes, record] = await atOnce([
            [`/api/v1/metadata/${id}`],
            [`/api/v1/metadata/${id}`, { Accept: metadataType }],
          ])
          expect(bytes?.text).to.equal(document)
          expect([bytes?.headers.etag, record?.headers.etag]).to.deep.equal([etag, etag])
          expect(JSON.parse(record?.text ?? '')).to.include({ id, recordVersion: round + 2 })
        }
      }),
    )
    stop.abort()

    for (const read of await Promise.all(readers)) expect(read).to.be.greaterThan(0)
  })
})
