import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Response } from 'supertest'
import request from 'supertest'
import { generate } from '../../../../../bench/data/generate-repository.js'
import { documentOf, idOf, schemaIdOf, schemaOf } from '../../../../../bench/data/generated-records.js'
import { type ComposedServices, compose } from '../../../../../src/compose/compose.js'
import { defaults } from '../../../../../src/config.js'
import { asVersion } from '../../../../../src/core/value-types.js'
import { createApp } from '../../../../../src/http/app.js'
import {
  base,
  etagOf,
  jsonSchema,
  type Listener,
  listen,
  metadataRecordV1,
  metadataType,
  schemaType,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../../../support/http/test-service.js'
import { isLongForm } from '../../../../support/program/long-form.js'
import {
  removePlainRepositories,
  temporaryFolderSync,
} from '../../../../support/repository/plain-git-repository.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'

const mounts = ['/api/v1', '/metastore/api/v1', '/api/v2', '/repository/api/v2', '/metastore/api/v2']

type Relation = 'first' | 'prev' | 'next' | 'last'
type Links = Readonly<Partial<Record<Relation, string>>>

function linksOf(answer: request.Response): Links {
  const found = (answer.headers.link as string).matchAll(/<([^>]*)>; rel="(\w+)"(?:, |$)/g)
  return Object.fromEntries([...found].map(([, url, relation]) => [relation, url]))
}

/** The parameters of an address. */
const parametersOf = (url: string | undefined) => Object.fromEntries(new URL(url ?? '').searchParams)
const pathOf = (url: string | undefined) => (url ?? '').replace(/^https?:\/\/[^/]+/, '')

describe('pages of lists', () => {
  let service: TestService
  /** Ids in the order of their creation. */
  const ids: string[] = []

  before(async () => {
    service = await startService()
    for (const id of ['b', 'c', 'a']) await service.postSchema({ schemaId: id }, jsonSchema()).expect(201)
    await service.putSchema('c', '*', undefined, jsonSchema('n')).expect(200)
    for (const id of ['m3', 'm1', 'M2', 'm7', 'm5', 'm6', 'm4']) {
      await service.postMetadata(metadataRecordV1(id, 'b', { id }), '{}').expect(201)
      ids.push(id)
    }
    for (const n of [1, 2]) await service.putMetadata('m5', '*', undefined, `{"n":${n}}`).expect(200)
  })
  after(removeRepositories)

  const get = (path: string) => service.http.get(path)
  const idsIn = (answer: request.Response) =>
    (answer.body as { id?: string; schemaId?: string }[]).map(({ id, schemaId }) => id ?? schemaId).join(' ')

  it('have a Link header of bounded length, regardless of the length of the filters', async () => {
    const filters = (length: number) => `schemaId=b&resourceId=${'('.repeat(length)}&schemaId=b`
    for (const [length, relations] of [
      [100, 'first next last'],
      [1000, 'next'],
      [8000, ''],
    ] as const) {
      const answer = await get(`/api/v1/metadata?size=2&${filters(length)}&resourceId=m1,m2,m3,m4,m5`).expect(
        200,
      )
      const { link = '' } = answer.headers as { link?: string }
      expect([...link.matchAll(/rel="(\w+)"/g)].map(([, relation]) => relation).join(' ')).to.equal(relations)
      expect(link.length).to.be.at.most(4000)
    }
  })

  it('name their positions and the total', async () => {
    for (const mount of mounts) {
      for (const [query, range, count] of [
        ['metadata?size=3', '0-2/7', 3],
        ['metadata?size=3&page=1', '3-5/7', 3],
        ['metadata?size=3&page=2', '6-6/7', 1],
        ['metadata?size=7', '0-6/7', 7],
        ['metadata?size=1&page=6', '6-6/7', 1],
        ['metadata?size=6&page=1', '6-6/7', 1],
        ['metadata/?page=000&size=0003', '0-2/7', 3],
        ['metadata?size=999999999999999999999999', '0-6/7', 7],
        ['metadata?schemaId=c', '*/0', 0],
        ['metadata?schemaId=c&page=5', '*/0', 0],
        ['metadata?resourceId=m1,m4&size=1&page=1', '1-1/2', 1],
        ['metadata?id=m5', '0-2/3', 3],
        ['metadata?id=m5&size=2', '0-1/3', 2],
        ['metadata?id=m5&size=2&page=1', '2-2/3', 1],
        ['schemas', '0-2/3', 3],
        ['schemas?size=2&page=1', '2-2/3', 1],
        ['schemas?mimeType=application/xml', '*/0', 0],
        ['schemas?schemaId=c', '0-1/2', 2],
        ['schemas?schemaId=c&size=1&page=1', '1-1/2', 1],
        ['schemas?schemaId=none&page=3', '*/0', 0],
      ] as const) {
        const answer = await get(`${mount}/${query}`).expect(200)
        expect(answer.headers['content-range'], query).to.equal(range)
        expect(answer.body, query).to.have.length(count)
      }
      for (const [query, total] of [
        ['metadata?size=3&page=3', 7],
        ['metadata?size=7&page=1', 7],
        ['metadata?page=1', 7],
        ['metadata?page=999999999999999999999999999999', 7],
        ['metadata?size=2000&page=4503599627370496', 7],
        ['metadata?resourceId=m1&page=1', 1],
        ['metadata?id=m5&size=3&page=1', 3],
        ['schemas?page=1', 3],
        ['schemas?schemaId=c&page=1', 2],
      ] as const) {
        const answer = await get(`${mount}/${query}`).expect(416)
        expect(answer.headers['content-range'], query).to.equal(`*/${total}`)
        expect(answer.headers['content-type']).to.equal('application/problem+json')
        expect(answer.body.detail).to.include(String(total))
      }
    }
  })

  it('follow the requested order', async () => {
    const newest = 'm5 m4 m6 m7 M2 m1 m3'
    const oldest = 'm3 m1 M2 m7 m6 m4 m5'
    const byId = 'M2 m1 m3 m4 m5 m6 m7'
    const reversed = 'm7 m6 m5 m4 m3 m1 M2'
    for (const mount of mounts) {
      for (const [query, order] of [
        ['', newest],
        ['sort=', newest],
        ['sort=lastUpdate', oldest],
        ['sort=lastUpdate,asc', oldest],
        ['sort=lastUpdate,desc', newest],
        ['sort=lastUpdate,DESC', newest],
        ['sort=lastUpdate%2Cdesc', newest],
        ['sort=id', byId],
        ['sort=id,Asc', byId],
        ['sort=id,desc', reversed],
        ['sort=id,lastUpdate,desc', reversed],
        ['sort=id&sort=lastUpdate,desc', byId],
        ['sort=lastUpdate,desc&sort=id', newest],
        ['sort=id&schemaId=b', byId],
        ['sort=id,desc&schemaId=b,none', reversed],
        ['sort=id,desc&resourceId=m3,m1', 'm3 m1'],
        ['sort=lastUpdate&resourceId=m3,m4,m1', 'm3 m1 m4'],
      ] as const) {
        expect(idsIn(await get(`${mount}/metadata?${query}`).expect(200)), query).to.equal(order)
      }
      for (const [query, order] of [
        ['', 'a b c'],
        ['sort=id', 'a b c'],
        ['sort=schemaId,desc', 'c b a'],
        ['sort=id,desc&mimeType=json', 'c b a'],
        ['sort=lastUpdate', 'b a c'],
        ['sort=lastUpdate,desc&mimeType=json', 'c a b'],
      ] as const) {
        expect(idsIn(await get(`${mount}/schemas?${query}`).expect(200)), query).to.equal(order)
      }
      expect(idsIn(await get(`${mount}/metadata?sort=id&size=2&page=1`))).to.equal('m3 m4')
    }
  })

  it('refuse an unknown order, and name the known ones', async () => {
    for (const [path, fields] of [
      ['metadata', 'id, lastUpdate'],
      ['schemas', 'id, schemaId, lastUpdate'],
    ]) {
      for (const sort of [
        'title',
        'ID',
        'desc',
        'id,up',
        'id,desc,asc',
        'lastUpdate;desc',
        'id&sort=x',
        ',desc',
        ' id',
      ]) {
        const answer = await get(`/api/v1/${path}?sort=${encodeURI(sort)}`).expect(400)
        expect(answer.body.detail, sort).to.include(
          `<field>,asc or <field>,desc with one of the fields ${fields}.`,
        )
      }
    }
    await get('/api/v1/metadata?sort=schemaId').expect(400)
  })

  const backwards = 'schemaId=b%2Cnone&sort=id,desc&x=%26%20%C3%A4&size=3'
  for (const mount of mounts) {
    const middlePage = async () => linksOf(await get(`${mount}/metadata?page=1&${backwards}`).expect(200))

    it(`link to the other pages, with all parameters and the commit of the list: ${mount}`, async () => {
      const links = await middlePage()
      const kept = {
        ...{ schemaId: 'b,none', sort: 'id,desc', x: '& ä', size: '3' },
        at: await service.head(),
      }
      expect(links.first).to.match(new RegExp(`^${base}${mount}/metadata\\?`))
      expect(parametersOf(links.first)).to.deep.equal({ ...kept, page: '0' })
      expect(parametersOf(links.prev)).to.deep.equal({ ...kept, page: '0' })
      expect(parametersOf(links.next)).to.deep.equal({ ...kept, page: '2', after: 'm1' })
      expect(parametersOf(links.last)).to.deep.equal({ ...kept, page: '2' })
    })

    it(`are found behind the link to the previous page: ${mount}`, async () => {
      const previous = await get(pathOf((await middlePage()).prev)).expect(200)
      expect(idsIn(previous)).to.equal('m7 m6 m5')
    })

    it(`are found behind the link to the next page: ${mount}`, async () => {
      const last = await get(pathOf((await middlePage()).next)).expect(200)
      expect(idsIn(last)).to.equal('M2')
      expect(last.headers['content-range']).to.equal('6-6/7')
    })

    it(`have no link to a next page if they are the last: ${mount}`, async () => {
      const last = linksOf(await get(pathOf((await middlePage()).next)).expect(200))
      expect(Object.keys(last)).to.deep.equal(['first', 'prev', 'last'])
      expect(parametersOf(last.prev)).to.include({ page: '1' })
    })
  }

  it('link to pages at the address of the request, with its slash', async () => {
    const slash = linksOf(await get('/api/v1/metadata/?size=1'))
    expect(pathOf(slash.next)).to.match(/^\/api\/v1\/metadata\/\?page=1&size=1&at=/)
  })

  it('link to the first and the last page if there is one page', async () => {
    expect(Object.keys(linksOf(await get('/api/v1/metadata')))).to.deep.equal(['first', 'last'])
  })

  it('have the same links in an answer to HEAD', async () => {
    const whole = linksOf(await get('/api/v1/metadata'))
    expect(linksOf(await service.http.head('/api/v1/metadata'))).to.deep.equal(whole)
  })

  it('link to the first page only if the list is empty', async () => {
    const none = linksOf(await get('/api/v1/metadata?schemaId=none'))
    expect(Object.keys(none)).to.deep.equal(['first'])
  })

  it('link with the largest size in place of a larger one', async () => {
    const capped = linksOf(await get('/api/v1/metadata?size=5000'))
    expect(parametersOf(capped.first)).to.include({ size: '2000' })
  })

  it('link to other pages of versions too', async () => {
    // Newer commits of other records do not affect this list.
    const changed = async (path: string, type: string) =>
      JSON.parse(etagOf(await get(path).set('Accept', type).expect(200)))
    const own = await changed('/api/v1/metadata/m5', metadataType)
    const schemas = await changed('/api/v1/schemas/c', schemaType)
    expect(schemas).to.not.equal(await service.head())
    const first = linksOf(await get('/api/v1/metadata?id=m5&size=1&page=1').expect(200))
    expect(Object.keys(first)).to.deep.equal(['first', 'prev', 'next', 'last'])
    expect(parametersOf(first.next)).to.deep.equal({ id: 'm5', page: '2', size: '1', at: own })
    const last = await get(pathOf(first.next)).expect(200)
    expect(last.body[0].recordVersion).to.equal(1)
    expect(last.text).to.equal((await get(pathOf(first.last))).text)
    const schema = linksOf(await get('/api/v2/schemas?schemaId=c&size=1').expect(200))
    expect(parametersOf(schema.next)).to.deep.equal({ schemaId: 'c', page: '1', size: '1', at: schemas })
  })

  it('end when the records of versions have 16 MiB, and the next page continues after them', async () => {
    // The third page has one version. More versions of this size take long to store.
    const versions = 17
    // The stored record has 2 MB, because the name of the licence repeats the end of the address.
    const record = (n: number) => ({
      ...metadataRecordV1('long', 'b', { id: 'long' }),
      licenseUri: `${n}/${'x'.repeat(1_000_000)}`,
    })
    await service.postMetadata(record(1), '{}').expect(201)
    for (let n = 2; n <= versions; n++)
      await service.putMetadata('long', '*', record(n), `{"n":${n}}`).expect(200)
    const wanted = Array.from({ length: versions }, (_, n) => versions - n)

    // The short form has one address of each route, and each version of the interface.
    for (const address of [
      '/api/v1/metadata?id=long&size=2000',
      '/api/v2/metadata/long/versions',
      ...(isLongForm ? ['/api/v1/metadata?id=long&size=20', '/api/v1/metadata/long/versions?size=2000'] : []),
    ]) {
      const seen: number[] = []
      const ranges: string[] = []
      for (let next: string | undefined = address; next !== undefined; ) {
        const answer: request.Response = await get(pathOf(next)).expect(200)
        const listed = answer.body as { recordVersion?: number; version?: number }[]
        seen.push(...listed.map(({ recordVersion, version }) => Number(recordVersion ?? version)))
        ranges.push(answer.headers['content-range'] as string)
        next = linksOf(answer).next
      }
      expect(seen, address).to.deep.equal(wanted)
      expect(ranges, address).to.deep.equal(['0-7/17', '8-15/17', '16-16/17'])
    }
    const refused = await get('/api/v1/metadata?id=long&after=x').expect(400)
    expect(refused.body.detail).to.contain('The parameter after is no version')
  })

  it('are linked under the public address', async () => {
    const app = createApp(service.services, { baseUrl: 'https://example.org/metastore-a/' })
    const answer = await request(app.callback()).get('/api/v1/schemas?size=1').expect(200)
    expect(linksOf(answer).next).to.match(/^https:\/\/example\.org\/metastore-a\/api\/v1\/schemas\?page=1&/)
  })
})

/** Stores the schema `s` and the documents `a`, `b` and `c`. */
async function withRecords(service: TestService): Promise<TestService> {
  await service.postSchema({ schemaId: 's' }, jsonSchema()).expect(201)
  for (const id of ['a', 'b', 'c'])
    await service.postMetadata(metadataRecordV1(`about ${id}`, 's', { id }), '{}').expect(201)
  return service
}

/** Ids and versions in a list of metadata, with its range. */
async function listOf(service: TestService, query: string): Promise<{ shown: string; range: string }> {
  const { body, headers } = await service.http.get(`/api/v1/metadata?${query}`).expect(200)
  const records = body as { id: string; recordVersion: number }[]
  return {
    shown: records.map(({ id, recordVersion }) => `${id}${recordVersion}`).join(' '),
    range: headers['content-range'] as string,
  }
}

describe('lists at a commit before an update, a creation and deletions', () => {
  let service: TestService
  let then: string
  before(async () => {
    service = await withRecords(await startService())
    then = await service.head()
    await service.putMetadata('a', '*', metadataRecordV1('about x', 's')).expect(200)
    await service.postMetadata(metadataRecordV1('about d', 's', { id: 'd' }), '{}').expect(201)
    for (let step = 0; step < 2; step++)
      await service.http.delete('/api/v1/metadata/b').set('If-Match', '*').expect(204)
    await service.http.delete('/api/v1/metadata/c').set('If-Match', '*').expect(204)
  })
  after(removeRepositories)

  const newest = { shown: 'c2 d1 a2', range: '0-2/3' }
  for (const [what, query, wanted] of [
    ['differ from the newest list, which has the changes', () => '', newest],
    [
      'have the records of that time, without GONE ones',
      () => `at=${then}`,
      { shown: 'c1 a1', range: '0-1/2' },
    ],
    [
      'may name the commit in capital letters',
      () => `at=${then.toUpperCase()}&sort=id`,
      { shown: 'a1 c1', range: '0-1/2' },
    ],
    [
      'find a record by its resource of that time',
      () => `at=${then}&resourceId=about%20a`,
      { shown: 'a1', range: '0-0/1' },
    ],
    [
      'find no record by its later resource',
      () => `at=${then}&resourceId=about%20x,about%20d`,
      { shown: '', range: '*/0' },
    ],
    ['have the versions of a record up to then', () => `at=${then}&id=a`, { shown: 'a1', range: '0-0/1' }],
    ['lack the later versions of a record', () => 'id=a', { shown: 'a2 a1', range: '0-1/2' }],
  ] as const) {
    it(what, async () => {
      expect(await listOf(service, query())).to.deep.equal(wanted)
    })
  }

  for (const [what, id] of [
    ['is GONE now', 'b'],
    ['was created later', 'd'],
  ]) {
    it(`answer 404 for the versions of a record that ${what}`, async () => {
      await service.http.get(`/api/v1/metadata?at=${then}&id=${id}`).expect(404)
    })
  }

  it('equal the newest list if the commit is the head', async () => {
    expect(await listOf(service, `at=${await service.head()}`)).to.deep.equal(newest)
  })
})

describe('lists at a commit', () => {
  let service: TestService
  beforeEach(async () => {
    service = await withRecords(await startService())
  })
  afterEach(removeRepositories)

  const list = (query: string) => listOf(service, query)

  it('exist for every commit of the branch, and for other commits by their merge base', async () => {
    service = await withRecords(await startServiceWithWorkTree())
    const [root = '', ...commits] = (await service.repository.git('rev-list', '--reverse', 'HEAD')).split(
      '\n',
    )
    expect(await list(`at=${root}`)).to.deep.equal({ shown: '', range: '*/0' })
    for (const [index, commit] of commits.entries()) {
      expect((await list(`sort=id&at=${commit}`)).shown).to.equal(
        'a1 b1 c1'.slice(0, Math.max(0, 3 * index - 1)),
      )
      const schemas = await service.http.get(`/api/v1/schemas?schemaId=s&at=${commit}`).expect(200)
      expect(schemas.body).to.have.length(1)
    }
    expect((await service.http.get(`/api/v1/schemas?schemaId=s&at=${root}`)).body).to.deep.equal([])

    // A commit on the side of a merge is in the history, but the server never served its state.
    await service.services.workTreeUpToDate()
    await service.repository.patiently('checkout', '-q', '-b', 'side', 'HEAD~1')
    const side = await service.repository.commit('On the side', { 'NOTES.md': 'x' })
    await service.repository.patiently('checkout', '-q', 'main')
    await service.repository.patiently('merge', '-q', '--no-ff', '-m', 'Merge', 'side')
    const merge = await service.head()
    await service.postMetadata(metadataRecordV1('about d', 's', { id: 'd' }), '{}').expect(201)
    expect((await list(`sort=id&at=${merge}`)).shown).to.equal('a1 b1 c1')
    for (const at of [side, 'side']) {
      expect(await list(`sort=id&at=${at}`)).to.deep.equal({ shown: 'a1 b1', range: '0-1/2' })
      const refused = await service.http.get(`/api/v1/metadata?id=a&at=${at}`).expect(400)
      expect(refused.body.detail).to.include(side)
    }
  })

  it('refuse an invalid commit or cursor', async () => {
    for (const list of ['schemas', 'metadata', 'schemas?schemaId=s', 'metadata?id=a']) {
      const and = list.includes('?') ? '&' : '?'
      for (const at of [
        '',
        '-x',
        'a..b',
        'a%20b',
        'x.lock',
        '.x',
        'HEAD~1',
        '@',
        'a//b',
        'x'.repeat(300),
        '%00',
      ]) {
        const answer = await service.http.get(`/api/v1/${list}${and}at=${at}`).expect(400)
        expect(answer.body.detail, at).to.include('40 hex digits')
      }
      for (const at of [
        'HEAD',
        'none',
        '1234567',
        'g'.repeat(40),
        '1'.repeat(39),
        '1'.repeat(40),
        '1'.repeat(41),
        '2026',
        '2026-02-30',
      ]) {
        await service.http.get(`/api/v1/${list}${and}at=${at}`).expect(404)
      }
    }
    const head = await service.head()
    await service.http.get(`/api/v1/metadata?at=${head}&at=${head}`).expect(400)
    for (const after of ['', ',', 'x y', 'b', 'yesterday,b', '2026,b,c', '2026,', '%00'])
      await service.http.get(`/api/v1/metadata?after=${after}`).expect(400)
    await service.http.get('/api/v1/metadata?after=2026,b&after=2026,b').expect(400)
    expect((await list('after=b&sort=id')).shown).to.equal('c1')
    expect(await list('after=x&sort=id')).to.deep.equal({ shown: '', range: '*/3' })
  })

  for (const sort of ['id', 'id,desc', 'lastUpdate', 'lastUpdate,desc']) {
    it(`continue after deleted records, and end after the last one, by ${sort}`, async () => {
      for (const id of ['x', 'y', 'z'])
        await service.postMetadata(metadataRecordV1(id, 's', { id }), '{}').expect(201)
      const all = (await list(`sort=${sort}`)).shown.split(' ')
      const pageOf = (answer: request.Response) =>
        (answer.body as { id: string; recordVersion: number }[]).map(
          ({ id, recordVersion }) => `${id}${recordVersion}`,
        )
      const first = await service.http.get(`/api/v1/metadata?size=2&sort=${sort}`).expect(200)
      expect(pageOf(first)).to.deep.equal(all.slice(0, 2))
      for (const shown of pageOf(first)) await remove(shown.slice(0, 1))

      const second = await service.http.get(pathOf(linksOf(first).next)).expect(200)
      expect(pageOf(second)).to.deep.equal(all.slice(2, 4))
      expect(second.headers['content-range']).to.equal('0-1/4')
      for (const left of all.slice(4)) await remove(left.slice(0, 1))

      const third = await service.http.get(pathOf(linksOf(second).next)).expect(200)
      expect(third.body).to.deep.equal([])
      expect(third.headers['content-range']).to.equal('*/2')
      expect(linksOf(third)).to.not.have.property('next')
    })
  }

  async function remove(id: string): Promise<void> {
    for (let step = 0; step < 2; step++)
      await service.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*').expect(204)
  }
})

describe('thousands of records', () => {
  const seed = 'pages'
  const schemas = 3
  const staying = isLongForm ? 5000 : 2100
  const leaving = 200
  const stay = Array.from({ length: staying }, (_, index) => idOf(seed, index) as string)
  const leave = Array.from({ length: leaving }, (_, index) => idOf(seed, staying + index) as string)
  /** Number of the last page, with 100 records on each page. */
  const lastPage = (staying + leaving) / 100 - 1
  let services: ComposedServices
  let listener: Listener
  let http: Listener['http']

  before(async () => {
    const data = join(temporaryFolderSync(), 'data')
    await generate(data, { records: staying + leaving, versions: 1.01, schemas, seed, bare: true })
    services = await compose({ ...defaults, data, workers: 1 }, { report: () => undefined })
    listener = await listen(createApp(services))
    http = listener.http
  })
  after(async () => {
    await listener.close()
    await services.close()
    removePlainRepositories()
  })

  interface Listed {
    readonly id: string
    readonly recordVersion: number
    readonly lastUpdate: string
  }

  it('come in pages of at most 2,000', async () => {
    const total = staying + leaving
    const full = Math.floor(total / 2000)
    const ranges = Array.from({ length: full }, (_, page) => `${page * 2000}-${page * 2000 + 1999}/${total}`)
    for (const [page, range] of [...ranges, `${full * 2000}-${total - 1}/${total}`].entries()) {
      const answer = await http.get(`/api/v1/metadata?size=5000&page=${page}`).expect(200)
      expect(answer.headers['content-range']).to.equal(range)
    }
    const past = await http.get(`/api/v1/metadata?size=5000&page=${full + 1}`).expect(416)
    expect(past.headers['content-range']).to.equal(`*/${total}`)
  })

  for (const query of ['', '&sort=id', '&sort=lastUpdate,asc', '&schemaId=none']) {
    it(`are the same on a deep page as on the way to it${query && `, with ${query.slice(1)}`}`, async () => {
      const whole: string[] = []
      for (let page = 0; page < 3; page++) {
        const answer = await http.get(`/api/v1/metadata?size=2000&page=${page}${query}`)
        if (answer.status === 200) whole.push(...(answer.body as Listed[]).map(({ id }) => id))
      }
      // Another filter that excludes no record makes a new list, of which the server remembers nothing.
      for (const from of ['', '&from=1990', '&from=1991']) {
        for (const page of from === '' ? [21, 3, lastPage, 13] : [lastPage, 13]) {
          const answer = await http.get(`/api/v1/metadata?size=100&page=${page}${query}${from}`)
          const shown = answer.status === 200 ? (answer.body as Listed[]).map(({ id }) => id) : []
          expect(shown).to.deep.equal(whole.slice(page * 100, page * 100 + 100))
        }
      }
    })
  }

  /** Updates that ran during a job. */
  interface Written {
    readonly created: ReadonlySet<string>
    /** Updated records, with their version before the update. */
    readonly updated: ReadonlyMap<string, number>
  }

  let count = 0
  /**
   * Runs the job while writers update and create records without a pause, and delete records on request.
   * @param job its parameter waits for the next update; the first call starts the writers
   */
  async function amidWriters(
    deleting: boolean,
    job: (written: () => Promise<void>) => Promise<void>,
  ): Promise<Written> {
    const created = new Set<string>()
    const updated = new Map<string, number>()
    const gone = deleting ? leave.splice(0, 60) : []
    const turns = new EventEmitter()
    const end = new AbortController()
    const more = async () => {
      const written = once(turns, 'written')
      turns.emit('begin')
      await written
    }
    async function update(): Promise<void> {
      // Records near both ends of each order, and in between.
      const id = stay[(count++ * 1709) % staying] ?? ''
      const answer = await put(id, { licenseUri: `https://example.org/${count}` }).expect(200)
      const { recordVersion } = answer.body as Listed
      if (!updated.has(id)) updated.set(id, recordVersion - 1)
    }
    async function create(): Promise<void> {
      const number = count++ % staying
      const schema = schemaOf(seed, number, schemas)
      const record = metadataRecordV1(`https://example.org/new/${count}`, schemaIdOf(schema))
      const answer = await http
        .post('/api/v1/metadata')
        .attach('record', Buffer.from(JSON.stringify(record)), json)
        .attach('document', documentOf(seed, number, asVersion(1), schema), 'document.json')
        .expect(201)
      created.add((answer.body as Listed).id)
    }
    async function remove(id: string): Promise<void> {
      for (let step = 0; step < 2; step++)
        await http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*').expect(204)
    }
    async function write(): Promise<void> {
      await once(turns, 'begin')
      while (!end.signal.aborted) {
        const id = gone.shift()
        await Promise.all([update(), create(), ...(id === undefined ? [] : [remove(id)])])
        turns.emit('written')
      }
    }
    const writing = write()
    try {
      await job(more)
    } finally {
      end.abort()
      turns.emit('begin')
      await writing
    }
    expect(updated.size).to.be.greaterThan(5)
    return { created, updated }
  }

  const json = { filename: 'record.json', contentType: 'application/json' }
  const put = (id: string, record: object) =>
    http
      .put(`/api/v1/metadata/${id}`)
      .set('If-Match', '*')
      .attach('record', Buffer.from(JSON.stringify(record)), json)

  /** Every record from this page on, along the links to the next pages. */
  async function follow(path: string, between: () => Promise<void>): Promise<readonly Listed[]> {
    const all: Listed[] = []
    for (let next: string | undefined = path; next; ) {
      const answer: request.Response = await http.get(next).expect(200)
      all.push(...(answer.body as Listed[]))
      const url: string | undefined = linksOf(answer).next
      next = url && pathOf(url)
      await between()
    }
    return all
  }

  /** Checks that every lasting record appears once in its old version, and that no new record appears. */
  function expectWhole(seen: readonly Listed[], { created, updated }: Written): void {
    const ids = seen.map(({ id }) => id)
    const distinct = new Set(ids)
    expect(ids).to.have.length(distinct.size)
    expect(stay.filter(id => !distinct.has(id))).to.deep.equal([])
    expect(ids.filter(id => created.has(id))).to.deep.equal([])
    const newer = seen.filter(({ id, recordVersion }) => recordVersion > (updated.get(id) ?? recordVersion))
    expect(newer).to.deep.equal([])
  }

  for (const [mount, query] of [
    ['/api/v1', 'size=250'],
    ['/metastore/api/v1', 'size=250&sort=lastUpdate,asc'],
    ['/api/v1', 'size=250&sort=id&from=2001'],
  ] as const) {
    it(`are complete along the links of ${mount}/metadata?${query} while others write`, async () => {
      let seen: readonly Listed[] = []
      const made = await amidWriters(true, async written => {
        seen = await follow(`${mount}/metadata?${query}`, written)
      })
      expectWhole(seen, made)
    })
  }

  it('are complete page by page at one commit while others change and add records', async () => {
    const first = linksOf(await http.get('/api/v1/metadata?size=1').expect(200)).first
    const at = new URL(first ?? '').searchParams.get('at')
    const seen: Listed[] = []
    const made = await amidWriters(false, async written => {
      for (let page = 0; ; page++) {
        const answer = await http.get(`/api/v1/metadata?page=${page}&size=500&at=${at}`)
        if (answer.status === 416) break
        expect(answer.status).to.equal(200)
        seen.push(...(answer.body as Listed[]))
        await written()
      }
    })
    expectWhole(seen, made)
  })

  it('are complete by page numbers in the order of ids while others change records', async () => {
    const seen: string[] = []
    const end = new AbortController()
    const writing = (async () => {
      for (let at = 0; !end.signal.aborted; at += 997)
        await put(stay[at % staying] ?? '', { licenseUri: `https://example.org/plain/${at}` }).expect(200)
    })()
    for (let page = 0; ; page++) {
      const answer = await http.get(`/api/v1/metadata?page=${page}&size=500&sort=id`)
      if (answer.status === 416) break
      seen.push(...(answer.body as Listed[]).map(({ id }) => id))
    }
    end.abort()
    await writing
    expect(new Set(seen).size).to.equal(seen.length)
    const found = new Set(seen)
    expect(stay.filter(id => !found.has(id))).to.deep.equal([])
  })

  it('are complete by cursor while others write', async () => {
    const seen = new Set<string>()
    await amidWriters(true, async written => {
      const size = isLongForm ? 1000 : 400
      for (let from = '2001'; ; ) {
        const answer = await http
          .get(`/api/v1/metadata?sort=lastUpdate,asc&size=${size}&from=${from}`)
          .expect(200)
        const records = answer.body as Listed[]
        for (const { id } of records) seen.add(id)
        from = records.at(-1)?.lastUpdate ?? from
        // The writers never stop. A page that is not full has only their latest updates.
        if (records.length < size) break
        await written()
      }
    })
    expect(stay.filter(id => !seen.has(id))).to.deep.equal([])
  })
})

describe('a page of large records', () => {
  afterEach(removeRepositories)

  it('equals the single records, although it is sent record by record', async () => {
    const service = await startService()
    await service.postSchema({ schemaId: 'large' }, jsonSchema()).expect(201)
    for (let index = 0; index < 6; index++) {
      const acl = Array.from({ length: 8000 }, (_, n) => ({
        sid: `subject ${index} ${n}`,
        permission: 'READ',
      }))
      await service
        .postMetadata(metadataRecordV1(`r${index}`, 'large', { id: `large-${index}`, acl }), '{}')
        .expect(201)
    }
    const list = await service.http.get('/api/v1/metadata').expect(200).expect('Content-Range', '0-5/6')
    expect(list.text.length).to.be.greaterThan(2 * 1024 * 1024)
    const records = await Promise.all(
      [5, 4, 3, 2, 1, 0].map(at =>
        service.http.get(`/api/v1/metadata/large-${at}`).set('Accept', metadataType).expect(200),
      ),
    )
    expect(list.body).to.deep.equal(records.map(record => record.body))
    await service.http.head('/api/v1/metadata').expect(200)
  })

  it('ends when the records have 16 MiB together, and links to the next page', async () => {
    const service = await startService()
    const comment = 'x'.repeat(900_000)
    const ids = Array.from({ length: 20 }, (_, index) => `large-${String(index).padStart(2, '0')}`)
    for (const schemaId of ids) await service.postSchema({ schemaId, comment }, jsonSchema()).expect(201)
    const seen: string[] = []
    const ranges: string[] = []
    let next: string | undefined = '/api/v1/schemas?size=100'
    while (next !== undefined) {
      const page: Response = await service.http.get(next).expect(200)
      expect(page.text.length).to.be.below(17 * 2 ** 20)
      seen.push(...page.body.map(({ schemaId }: { schemaId: string }) => schemaId))
      ranges.push(page.headers['content-range'] as string)
      const link: string | undefined = /<([^>]*)>; rel="next"/.exec(page.headers.link ?? '')?.[1]
      next = link?.replace(/^https?:\/\/[^/]*/, '')
    }
    expect(seen).to.deep.equal(ids)
    expect(ranges).to.deep.equal(['0-17/20', '18-19/20'])
  })
})
