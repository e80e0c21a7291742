// test-schedule: first
import fs from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { mock } from 'node:test'
import { expect } from 'chai'
import fc from 'fast-check'
import type request from 'supertest'
import { type Principal, selfPrincipal } from '../../../src/core/access-control.js'
import type { Id } from '../../../src/core/value-types.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  schemaType,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const version2Type = 'application/vnd.datacite.org+json'

const shown = (answer: request.Response) => ({
  status: answer.status,
  text: answer.text,
  etag: answer.headers.etag,
  type: answer.headers['content-type'],
  link: answer.headers.link,
})

describe('a point of history', () => {
  let service: TestService
  /** Commits that made the versions 1, 2 and 3 of the record a. */
  let made: string[]

  beforeEach(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 's' }, jsonSchema()).expect(201)
    await service.postMetadata(metadataRecordV1('about a', 's', { id: 'a' }), '{"n":1}').expect(201)
    made = [await service.head()]
    for (const n of [2, 3]) {
      await service.putMetadata('a', '*', undefined, `{"n":${n}}`).expect(200)
      made.push(await service.head())
    }
  })
  afterEach(removeRepositories)

  const get = (path: string) => service.http.get(`/api/v1${path}`)
  const read = async (at: string) => (await get(`/metadata/a?at=${encodeURIComponent(at)}`).expect(200)).text
  const refused = async (at: string, status: number) => {
    const answer = await get(`/metadata/a?at=${encodeURIComponent(at)}`).expect(status)
    const listed = await get(`/metadata?at=${encodeURIComponent(at)}`).expect(status)
    expect(listed.body.detail).to.equal(answer.body.detail)
    return answer.body.detail as string
  }
  const one = () => made[0] ?? ''

  it('can be a commit or a prefix of its id', async () => {
    for (const name of [one(), one().toUpperCase(), one().slice(0, 7), one().slice(0, 39).toUpperCase()])
      expect(await read(name)).to.equal('{"n":1}')
    expect(await refused(one().slice(0, 6), 404)).to.include('no tag or branch')
    expect(await refused('0'.repeat(40), 404)).to.match(/no commit 000/i)
    expect(await refused('0'.repeat(12), 404)).to.include('begins with 000')
  })

  it('can be a tag of any kind, loose or packed', async () => {
    const { git } = service.repository
    await git('tag', 'light', one())
    await git('tag', '-a', '-m', 'Release', 'release/1.0', one())
    await git('tag', '-a', '-m', 'Again', 'of-a-tag', 'release/1.0')
    await git('tag', 'of-a-tree', `${one()}^{tree}`)
    for (const packed of [false, true]) {
      if (packed) await git('pack-refs', '--all')
      for (const name of ['light', 'release/1.0', 'of-a-tag', 'refs/tags/light', 'tags/light'])
        expect(await read(name), name).to.equal('{"n":1}')
      expect(await refused('of-a-tree', 400)).to.include('tree')
      expect(await refused('release', 404)).to.include('"release"')
      expect(await refused('light/er', 404)).to.include('"light/er"')
    }
  })

  it('can be a branch; a tag of the same name takes precedence', async () => {
    const { git } = service.repository
    await git('branch', 'both', made[1] ?? '')
    expect(await read('both')).to.equal('{"n":2}')
    await git('tag', 'both', one())
    expect(await read('both')).to.equal('{"n":1}')
    expect(await read('refs/heads/both')).to.equal('{"n":2}')
    expect(await read('heads/both')).to.equal('{"n":2}')
    expect(await read('main')).to.equal('{"n":3}')
    // A name takes precedence over other meanings, except over the full id of a commit.
    await git('tag', one().slice(0, 8), made[1] ?? '')
    await git('tag', '2026', made[1] ?? '')
    await git('tag', one(), made[1] ?? '')
    expect(await read(one().slice(0, 8))).to.equal('{"n":2}')
    expect(await read('2026')).to.equal('{"n":2}')
    expect(await read(one())).to.equal('{"n":1}')
  })

  it('cannot be another ref', async () => {
    const { git } = service.repository
    await git('update-ref', 'refs/notes/x', one())
    await git('update-ref', 'refs/remotes/origin/x', one())
    await git('symbolic-ref', 'refs/heads/symbolic', 'refs/heads/main')
    for (const name of ['notes/x', 'refs/notes/x', 'x', 'origin/x', 'remotes/origin/x', 'HEAD', 'refs/heads'])
      await refused(name, 404)
    expect(await refused('symbolic', 400)).to.include('refs/heads/symbolic')
  })

  it('can be a time', async () => {
    const times = await Promise.all(
      [1, 2, 3].map(async version => {
        const answer = await get(`/metadata/a?version=${version}`).set('Accept', metadataType)
        return Date.parse(answer.body.lastUpdate as string)
      }),
    )
    for (const [index, time] of times.entries()) {
      const iso = new Date(time).toISOString()
      expect(await read(iso)).to.equal(`{"n":${index + 1}}`)
      expect(await read(iso.replace('Z', '+00:00'))).to.equal(`{"n":${index + 1}}`)
      const next = times[index + 1]
      if (next !== undefined)
        expect(await read(new Date(next - 1).toISOString())).to.equal(`{"n":${index + 1}}`)
    }
    expect(await read('2999')).to.equal('{"n":3}')
    const unencoded = new Date(times[0] ?? 0).toISOString().replace('Z', '+00:00')
    expect((await get(`/metadata/a?at=${unencoded}`).expect(200)).text).to.equal('{"n":1}')
    expect(await refused('1999-12-31', 404)).to.include('begins at')
    const list = await get(`/metadata?at=${new Date(times[1] ?? 0).toISOString()}`).expect(200)
    expect(list.body[0].recordVersion).to.equal(2)
    expect(list.headers.link).to.include(`at=${made[1]}`)
  })

  it('before the first record is an empty repository', async () => {
    const root = await service.repository.git('rev-list', '--max-parents=0', 'HEAD')
    const begin = Number(await service.repository.git('show', '-s', '--format=%ct', root)) * 1000
    const created = Date.parse((await get('/schemas/s').set('Accept', 'application/json')).headers.date ?? '')
    expect(created).to.be.at.least(begin)
    expect((await get(`/schemas?at=${root}`).expect(200)).body).to.deep.equal([])
    expect((await get(`/metadata/a?at=${root}`).expect(404)).body.detail).to.include(root)
  })

  it('applies to every representation of a record, in both versions of the interface', async () => {
    await service.putSchema('s', '*', undefined, jsonSchema('x')).expect(200)
    const types = [
      '*/*',
      metadataType,
      version2Type,
      'application/vnd.datamanager.content-information+json',
      'application/json',
    ]
    for (const mount of ['/api/v1', '/repository/api/v2']) {
      for (const type of types) {
        const path = `${mount}/metadata/a`
        const then = await service.http.get(`${path}?version=2`).set('Accept', type)
        const at = await service.http.get(`${path}?at=${made[1]}`).set('Accept', type)
        expect(shown(at), `${path} ${type}`).to.deep.equal(shown(then))
        if (at.status !== 200) continue
        expect(etagOf(at)).to.equal(`"${made[1]}"`)
        expect(at.headers.vary).to.include('Accept')
        await service.http
          .get(`${path}?at=${made[1]}`)
          .set('Accept', type)
          .set('If-None-Match', etagOf(at))
          .expect(304)
      }
      const first = await service.http.get(`${mount}/metadata/a?at=${made[1]}&version=1`).expect(200)
      expect(first.text).to.equal('{"n":1}')
      await service.http.get(`${mount}/metadata/a?at=${made[1]}&version=3`).expect(404)
      await service.http.get(`${mount}/schemas/s?at=${made[1]}&version=2`).expect(404)
    }
    expect((await service.http.get(`/download/metadata/a?at=${made[1]}`).expect(200)).text).to.equal(
      '{"n":2}',
    )
    const versions = await get(`/metadata/a/versions?at=${made[1]}`).expect(200)
    expect((versions.body as { version: number }[]).map(({ version }) => version)).to.deep.equal([2, 1])
    expect((await get(`/metadata/a/blame?at=${made[1]}`).expect(200)).body).to.include({ version: 2 })
    await get(`/metadata/a/diff?from=1&to=2&at=${made[1]}`).expect(200)
    await get(`/metadata/a/diff?from=1&to=3&at=${made[1]}`).expect(404)
    const table = await get(`/ui/metadata?at=${made[1]}`).expect(200)
    expect(table.body.data[0].recordVersion).to.equal(2)
  })

  it('is kept in the redirect to the page of a record, which shows that state', async () => {
    const answer = await get(`/metadata/a?at=${made[1]}`).set('Accept', 'text/html').expect(302)
    expect(answer.headers.location).to.equal(`/metadata-landing-page?id=a&version=&at=${made[1]}`)
    const page = await service.http.get(answer.headers.location ?? '').expect(200)
    expect(page.text)
      .to.match(/n&quot;:\s*2/)
      .and.to.include(made[1])
      .and.not.to.match(/n&quot;:\s*3/)
    await service.http.get('/metadata-landing-page?id=a&at=none').expect(404)
    await service.http.get(`/metadata-landing-page?at=${made[1]}`).expect(400)
  })

  it('applies to further files of a schema and to validation', async () => {
    const document = JSON.stringify({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $ref: 'part.json',
    })
    const part = (name: string) => JSON.stringify({ type: 'object', required: [name] })
    await service.postSchema({ schemaId: 'parts' }, document, { 'part.json': part('x') }).expect(201)
    const then = await service.head()
    await service.http
      .put('/api/v1/schemas/parts')
      .set('If-Match', '*')
      .attach('include', Buffer.from(part('y')), { filename: 'part.json' })
      .expect(200)
    expect((await get(`/schemas/parts/files/part.json?at=${then}`).expect(200)).text).to.equal(part('x'))
    expect((await get('/schemas/parts/files/part.json').expect(200)).text).to.equal(part('y'))
    await get(`/schemas/parts/files/part.json?at=${made[0]}`).expect(404)
    const validate = (query: string, text: string) =>
      service.http
        .post(`/api/v1/schemas/parts/validate${query}`)
        .attach('document', Buffer.from(text), 'document')
    await validate(`?at=${then}`, '{"x":1}').expect(204)
    await validate(`?at=${then}`, '{"y":1}').expect(422)
    await validate('', '{"y":1}').expect(204)
    await validate(`?at=${made[0]}`, '{"y":1}').expect(404)
  })

  it('refuses changes', async () => {
    await service.storesNothing(async () => {
      for (const at of [one(), 'main', 'nonsense..']) {
        const query = `?at=${at}`
        const answers = [
          await service.http.delete(`/api/v1/metadata/a${query}`).set('If-Match', '*'),
          await service.http.delete(`/api/v2/schemas/s${query}`).set('If-Match', '*'),
          await service.http
            .put(`/api/v1/metadata/a${query}`)
            .set('If-Match', '*')
            .attach('document', Buffer.from('{}'), 'd'),
          await service.http
            .put(`/api/v1/schemas/s${query}`)
            .set('If-Match', '*')
            .attach('schema', Buffer.from('{}'), 'd'),
          await service.http.post(`/api/changesets${query}`).attach('document', Buffer.from('{}'), 'd'),
          await service.http.post(`/api/v1/metadata${query}`).attach('document', Buffer.from('{}'), 'd'),
          await service.http.post(`/api/v2/schemas${query}`).attach('schema', Buffer.from('{}'), 'd'),
        ]
        for (const answer of answers) {
          expect(answer.status).to.equal(400)
          expect(answer.body.detail).to.include('without the parameter at')
        }
      }
    })
  })

  it('refuses searches by POST, and names the search that accepts a point of history', async () => {
    for (const path of ['/api/v1/search', '/api/v2/metadata/search', '/api/v1/metastore-s/_search']) {
      const { body } = await service.http.post(`${path}?at=${one()}`).send({}).expect(400)
      expect(body.error.reason).to.include('This search is of the newest state').and.to.not.include('change')
    }
  })

  it('hides records that the caller may not read today', async () => {
    const caller = (sid: string): Principal => ({ ...selfPrincipal, sid, name: sid, administrator: false })
    const own = await startService({ identify: ctx => caller(ctx.get('x-who')) })
    const as = (who: string, sent: request.Test) => sent.set('x-who', who)
    const acl = (more: readonly string[]) => ({
      acl: ['ann', ...more].map(sid => ({ sid, permission: sid === 'ann' ? 'ADMINISTRATE' : 'READ' })),
    })
    await as('ann', own.postSchema({ schemaId: 's', ...acl(['ben']) }, jsonSchema())).expect(201)
    const record = (id: string, more: readonly string[]) =>
      metadataRecordV1(`about ${id}`, 's', { id, ...acl(more) })
    for (const id of ['open', 'closed', 'revoked', 'gone'])
      await as('ann', own.postMetadata(record(id, ['ben']), '{}')).expect(201)
    const then = await own.head()
    const at = (who: string, id: string) => as(who, own.http.get(`/api/v1/metadata/${id}?at=${then}`))
    for (const id of ['open', 'closed', 'revoked', 'gone']) await at('ben', id).expect(200)

    await as(
      'ann',
      own.putMetadata('closed', '*', { ...record('closed', []), acl: acl(['carl']).acl }),
    ).expect(200)
    for (const id of ['revoked', 'gone', 'gone'])
      await as('ann', own.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*')).expect(204)

    await at('ben', 'open').expect(200)
    for (const id of ['revoked', 'gone']) await at('ben', id).expect(404)
    await at('ann', 'revoked').expect(200)
    await at('ann', 'gone').expect(404)
    for (const path of [
      `/api/v1/metadata?id=revoked&at=${then}`,
      `/metadata-landing-page?id=gone&at=${then}`,
    ])
      await as('ben', own.http.get(path)).expect(404)
  })

  it('returns the answers that the service gave at that time', async function () {
    this.timeout(120_000)
    const ids = ['m0', 'm1', 'm2']
    const step = fc.record({ id: fc.constantFrom(...ids, 's'), what: fc.nat(9) })
    const paths = ['/api/v1', '/repository/api/v2'].flatMap(mount => [
      ...ids.map(id => `${mount}/metadata/${id}`),
      `${mount}/schemas/s`,
    ])
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 12 }), async plan => {
        const own = await startService()
        const seen: { commit: string; time: string; answers: ReturnType<typeof shown>[] }[] = []
        const look = async (query: string) => {
          const answers: ReturnType<typeof shown>[] = []
          for (const path of paths) {
            const version1Type = path.includes('/schemas/') ? schemaType : metadataType
            const recordType = path.includes('v2') ? version2Type : version1Type
            for (const type of [recordType, 'application/json'])
              answers.push(shown(await own.http.get(path + query).set('Accept', type)))
          }
          return answers
        }
        await own.postSchema({ schemaId: 's' }, jsonSchema()).expect(201)
        for (const [n, { id, what }] of plan.entries()) {
          const there = (await own.http.get(`/api/v1/metadata/${id}`)).status === 200
          if (id === 's')
            await own.putSchema('s', '*', { label: `${n}` }, what % 2 ? jsonSchema(`x${n}`) : undefined)
          else if (!there) await own.postMetadata(metadataRecordV1(`about ${id}`, 's', { id }), `{"n":${n}}`)
          else if (what === 9) await own.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*')
          else if (what % 3) await own.putMetadata(id, '*', undefined, `{"n":${n % 4}}`)
          else await own.putMetadata(id, '*', metadataRecordV1(`about ${id} ${n}`, 's'))
          const commit = await own.head()
          if (seen.at(-1)?.commit === commit) continue
          await own.repository.git('tag', ...(n % 2 ? [] : ['-a', '-m', 'x']), `t${n}`, commit)
          const time = /^Recorded-At: (.*)$/m.exec(
            await own.repository.git('show', '-s', '--format=%B', commit),
          )?.[1]
          seen.push({ commit, time: time ?? '', answers: await look('') })
          for (const name of isLongForm ? [commit, `t${n}`] : [n % 4 < 2 ? commit : `t${n}`])
            expect(await look(`?at=${name}`)).to.deep.equal(seen.at(-1)?.answers)
        }
        const today = await look('')
        for (const [index, { commit, time, answers }] of seen.entries()) {
          const prefixes = isLongForm || index % 3 === 0 ? [commit.slice(0, 12)] : []
          for (const name of [commit, ...prefixes, time]) {
            for (const [number, answer] of (await look(`?at=${name}`)).entries()) {
              const isGone = today[number]?.status !== 200
              if (isGone || answers[number]?.status !== 200) expect(answer.status).to.equal(404)
              else expect(answer).to.deep.equal(answers[number])
            }
          }
        }
        await removeRepositories()
      }),
      { numRuns: isLongForm ? 3 : 1, endOnFailure: true },
    )
  })
})

describe('a point outside the served history', () => {
  let service: TestService
  const directory = (id: string) => recordDirectory('metadata', id as Id)

  beforeEach(async () => {
    service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 's' }, jsonSchema('n')).expect(201)
    for (const id of ['a', 'b', 'c'])
      await service.postMetadata(metadataRecordV1(`about ${id}`, 's', { id }), '{"n":1}').expect(201)
    await service.services.workTreeUpToDate()
    await service.repository.patiently('checkout', '-q', '-b', 'feature')
  })
  afterEach(removeRepositories)

  const commit = (files: Readonly<Record<string, string | null>>) =>
    service.repository.commit('On a branch', files)
  /** Checks the served branch out again, so that the server can write. */
  const back = async () => {
    await service.repository.patiently('checkout', '-q', 'main')
  }
  const get = (path: string) => service.http.get(path)
  const record = (id: string, more: object = {}) =>
    JSON.stringify({
      id,
      titles: [{ value: id }],
      relatedIdentifiers: [{ value: `about ${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' }],
      schema: { schemaId: 's', version: 1 },
      ...more,
    })

  it('is refused by a search, and the answer names an alternative', async () => {
    const base = (await service.head()) as string
    await commit({ [`${directory('a')}/document.json`]: '{"n":2}' })
    await back()

    const { body } = await get('/api/v1/search?q=a&at=feature').expect(400)

    expect(body.detail).to.contain(`Search where the branch began with at=${base}`)
    expect(body.detail).to.not.contain('version')
  })

  it('has its own changes, and otherwise the served state from which it branched', async () => {
    await commit({ [`${directory('a')}/document.json`]: '{"n":2}' })
    const tip = await commit({ [`${directory('a')}/document.json`]: '{"n":3}', 'README.md': 'x' })
    await back()
    for (let n = 10; n < 13; n++) await service.putMetadata('a', '*', undefined, `{"n":${n}}`).expect(200)
    await service.putMetadata('b', '*', undefined, '{"n":20}').expect(200)

    for (const at of ['feature', tip, tip.slice(0, 9)]) {
      const answer = await get(`/api/v1/metadata/a?at=${at}`).expect(200)
      expect(answer.text).to.equal('{"n":3}')
      expect(etagOf(answer)).to.equal(`"${tip}"`)
      await get(`/api/v1/metadata/a?at=${at}`).set('If-None-Match', etagOf(answer)).expect(304)
      expect((await get(`/api/v1/metadata/a?at=${at}&version=2`).expect(200)).text).to.equal('{"n":2}')
      expect((await get(`/api/v1/metadata/a?at=${at}&version=1`).expect(200)).text).to.equal('{"n":1}')
      await get(`/api/v1/metadata/a?at=${at}&version=4`).expect(404)
      expect((await get(`/api/v1/metadata/b?at=${at}`).expect(200)).text).to.equal('{"n":1}')
    }
    const { body } = await get('/api/v1/metadata/a?at=feature').set('Accept', metadataType).expect(200)
    expect(body).to.include({ recordVersion: 3 })
    const path = (body.metadataDocumentUri as string).replace(/^https?:\/\/[^/]+/, '')
    expect(path).to.equal(`/api/v1/metadata/a?version=3&at=${tip}`)
    expect((await get(path).expect(200)).text).to.equal('{"n":3}')
    const version2 = await get('/repository/api/v2/metadata/a?at=feature')
      .set('Accept', version2Type)
      .expect(200)
    expect(version2.headers.location).to.match(new RegExp(`version=3&at=${tip}$`))
    const content = await get('/repository/api/v2/metadata/a?at=feature')
      .set('Accept', 'application/vnd.datamanager.content-information+json')
      .expect(200)
    expect(content.body).to.include({ version: 3, uploader: 'Jane', size: 7 })
    const blame = await get('/api/v1/metadata/a/blame?at=feature').expect(200)
    expect(blame.body.members).to.deep.include({
      path: '/n',
      version: 3,
      commit: tip,
      time: body.lastUpdate,
      author: 'Jane',
    })
    const patch = await get('/api/v1/metadata/a/diff?from=1&to=3&at=feature')
      .set('Accept', 'application/json-patch+json')
      .expect(200)
    expect(patch.body).to.deep.equal([{ op: 'replace', path: '/n', value: 3 }])
    await get('/api/v1/metadata/a/versions?at=feature').expect(400)
    const page = await get('/metadata-landing-page?id=a&at=feature').expect(200)
    expect(page.text)
      .to.match(/n&quot;:\s*3/)
      .and.to.include(`at=${tip}`)
  })

  it('is resolved once for each request, outside or inside the served history', async () => {
    const tip = await commit({ [`${directory('a')}/document.json`]: '{"n":2}' })
    await back()
    await service.repository.git('branch', 'served')
    const reading = mock.method(fs, 'readFileSync')
    syncBuiltinESMExports()
    try {
      for (const [at, n] of [
        ['feature', 2],
        ['served', 1],
      ] as const) {
        const before = reading.mock.callCount()
        const { body } = await get(`/api/v1/metadata?at=${at}`).set('Accept', metadataType).expect(200)
        const files = reading.mock.calls.slice(before).map(call => String(call.arguments[0]))
        expect(body).to.have.length(3)
        expect(JSON.stringify(body).includes(tip), at).to.equal(n === 2)
        expect(files.filter(file => file.endsWith(`refs/heads/${at}`))).to.have.length(1)
      }
    } finally {
      reading.mock.restore()
      syncBuiltinESMExports()
    }
  })

  it('has records that exist only there, with their own schemas', async () => {
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', $ref: 'part.json' }
    await commit({
      'schemas/own/record.json': '{"titles":[{"value":"own"}]}',
      'schemas/own/schema.json': JSON.stringify(schema),
      'schemas/own/part.json': '{"required":["own"]}',
      [`${directory('new')}/record.json`]: record('new', { schema: { schemaId: 'own' } }),
      [`${directory('new')}/document.json`]: '{"own":1}',
      [`${directory('bad')}/record.json`]: record('bad', { schema: { schemaId: 'own' } }),
      [`${directory('bad')}/document.json`]: '{}',
    })
    const tip = await commit({ 'schemas/own/part.json': '{"required":["own","more"]}' })
    await back()

    const { body } = await get('/api/v1/metadata/new?at=feature').set('Accept', metadataType).expect(200)
    expect(body).to.include({ recordVersion: 1, schemaVersion: 1 })
    expect((await get('/api/v1/metadata/new?at=feature').expect(200)).text).to.equal('{"own":1}')
    await get('/api/v1/metadata/new').expect(404)
    await get('/api/v1/metadata/bad?at=feature').expect(404)
    expect((await get(`/api/v1/schemas/own/files/part.json?at=${tip}`).expect(200)).text).to.include('more')
    expect(
      (await get(`/api/v1/schemas/own/files/part.json?at=${tip}&version=1`).expect(200)).text,
    ).to.not.include('more')
    const validate = (query: string, text: string) =>
      service.http
        .post(`/api/v1/schemas/own/validate${query}`)
        .attach('document', Buffer.from(text), 'document')
    await validate('?at=feature', '{"own":1,"more":2}').expect(204)
    await validate('?at=feature', '{"own":1}').expect(422)
    await validate('?at=feature&version=1', '{"own":1}').expect(204)
    await validate('', '{"own":1}').expect(404)
    const listed = await get('/api/v1/metadata?at=feature&sort=id').expect(200)
    expect((listed.body as { id: string }[]).map(({ id }) => id)).to.deep.equal(['a', 'b', 'c', 'new'])
    expect(listed.headers['content-range']).to.equal('0-3/4')
    expect((await get('/api/v1/schemas?at=feature').expect(200)).body).to.have.length(2)
    const versions = await get('/api/v1/metadata?id=a&at=feature').expect(400)
    expect(versions.body.detail)
      .to.include(tip)
      .and.to.match(/at=[0-9a-f]{40}/)
    expect((await get('/api/v1/metadata').expect(200)).body).to.have.length(3)
  })

  it('lacks records that break a rule or are removed there', async () => {
    await commit({ [`${directory('a')}/document.json`]: '{"m":2}', [`${directory('c')}`]: null })
    await commit({ [`${directory('a')}/record.json`]: 'nonsense' })
    await back()
    const answer = await get('/api/v1/metadata/a?at=feature').set('Accept', metadataType).expect(200)
    expect(answer.body).to.include({ recordVersion: 1 })
    expect((await get('/api/v1/metadata/c?at=feature').expect(404)).body.detail).to.include('there is no')
    await service.repository.patiently('checkout', '-q', 'feature')
    const healed = await commit({
      [`${directory('a')}/record.json`]: record('a'),
      [`${directory('a')}/document.json`]: '{"n":4}',
    })
    await back()
    const again = await get('/api/v1/metadata/a?at=feature').set('Accept', metadataType).expect(200)
    expect(again.body).to.include({ recordVersion: 4 })
    expect(etagOf(again)).to.equal(`"${healed}"`)
  })

  it('has the same states as after it is merged into the served branch', async function () {
    this.timeout(120_000)
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const edit = fc.record({ id: fc.constantFrom(...ids), what: fc.nat(8) })
    const commits = fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 6 })
    const lists = ['', 'sort=id,desc&', 'sort=lastUpdate&', 'resourceId=about%20a,about%20d,about%20f&']
    const queries = [
      ...ids.flatMap(id => [`metadata/${id}?`, `metadata/${id}?version=1&`, `metadata/${id}?version=2&`]),
      ...lists.flatMap(list => [
        `metadata?${list}`,
        ...[0, 1, 2, 3].map(page => `metadata?size=2&page=${page}&${list}`),
      ]),
      'metadata?sort=id&after=c&',
      'metadata?sort=id&after=c&size=1&',
      'schemas?',
    ]
    const look = async (points: readonly string[]) => {
      const seen = []
      for (const at of points) {
        for (const query of queries) {
          const { status, text, headers } = await get(`/api/v1/${query}at=${at}`).set('Accept', metadataType)
          const { etag, link } = headers as Record<string, string | undefined>
          const plain = (part = '') => part.replaceAll(/&at=[0-9a-f]{40}(?=["&>])/g, '')
          const body = status === 200 ? plain(text) : ''
          seen.push({ query, at, status, body, etag, link: plain(link), range: headers['content-range'] })
        }
      }
      return seen
    }
    let number = 0
    await fc.assert(
      fc.asyncProperty(commits, async plan => {
        await service.repository.patiently('checkout', '-q', '-B', 'feature', 'main')
        const points: string[] = []
        for (const edits of plan) {
          const files: Record<string, string> = { 'NOTES.md': `${number++}` }
          for (const { id, what } of edits) {
            files[`${directory(id)}/record.json`] = record(id, { titles: [{ value: `${what % 3}` }] })
            files[`${directory(id)}/document.json`] = what > 6 ? '{"bad":1}' : `{"n":${what % 4}}`
          }
          points.push(await commit(files))
        }
        await back()
        const before = await look(points)
        await service.services.workTreeUpToDate()
        await service.repository.patiently('merge', '-q', '--ff-only', 'feature')
        await waitUntil(
          'the branch to be served',
          async () => (await service.services.health(selfPrincipal)).catalog === points.at(-1),
        )
        for (const [n, now] of (await look(points)).entries()) expect(now).to.deep.equal(before[n])
      }),
      { numRuns: isLongForm ? 3 : 1, endOnFailure: true },
    )
  })

  it('has merged commits of the served branch in their served state', async () => {
    await commit({ [`${directory('a')}/document.json`]: '{"n":2}' })
    await back()
    for (let n = 10; n < 13; n++) await service.putMetadata('b', '*', undefined, `{"n":${n}}`).expect(200)
    await service.services.workTreeUpToDate()
    await service.repository.patiently('checkout', '-q', 'feature')
    await service.repository.patiently('merge', '-q', '--no-ff', '-m', 'Merge', 'main')
    await back()
    const served = await get('/api/v1/metadata/b').set('Accept', metadataType).expect(200)
    const merged = await get('/api/v1/metadata/b?at=feature').set('Accept', metadataType).expect(200)
    expect(shown(merged)).to.deep.equal(shown(served))
    await service.putMetadata('b', '*', undefined, '{"n":13}').expect(200)
    const later = await get('/api/v1/metadata/b?at=feature').set('Accept', metadataType).expect(200)
    expect(later.text).to.equal(served.text)
  })

  it('is unknown if no branch and no tag leads to it', async () => {
    const first = await commit({ [`${directory('a')}/document.json`]: '{"n":2}' })
    await back()
    await get(`/api/v1/metadata/a?at=${first}`).expect(200)
    await service.repository.git('tag', 'kept', first)
    await service.repository.git('tag', 'of-a-tree', `${first}^{tree}`)
    await writeFile(join(service.repository.dir, '.git/refs/heads/damaged'), `${'1'.repeat(40)}\n`)
    await service.repository.git('branch', '-q', '-D', 'feature')
    await get(`/api/v1/metadata/a?at=${first}`).expect(200)
    await service.repository.git('tag', '-d', 'kept')
    const answer = await get(`/api/v1/metadata/a?at=${first}`).expect(404)
    expect(answer.body.detail).to.include('branch or tag')
    await service.repository.patiently('checkout', '-q', '--orphan', 'other')
    await service.repository.patiently('commit', '-q', '--allow-empty', '-m', 'Another root')
    await back()
    expect((await get('/api/v1/metadata/a?at=other').expect(400)).body.detail).to.include('Clone')
  })

  it('hides records that the caller may not read today', async () => {
    await commit({
      [`${directory('a')}/document.json`]: '{"n":2}',
      [`${directory('b')}/document.json`]: '{"n":2}',
      [`${directory('hidden')}/record.json`]: record('hidden', {
        acls: [{ sid: 'ann', permission: 'ADMINISTRATE' }],
      }),
      [`${directory('hidden')}/document.json`]: '{"n":2}',
      [`${directory('open')}/record.json`]: record('open', {
        acls: [{ sid: 'anonymousUser', permission: 'READ' }],
      }),
      [`${directory('open')}/document.json`]: '{"n":2}',
    })
    await back()
    for (const id of ['a', 'b', 'b'])
      await service.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*').expect(204)
    await get('/api/v1/metadata/a?at=feature').expect(200)
    await get('/api/v1/metadata/b?at=feature').expect(404)
    const ben: Principal = { ...selfPrincipal, sid: 'ben', name: 'ben', administrator: false }
    const other = await startService({ identify: () => ben }, {}, service.repository)
    for (const id of ['a', 'b', 'hidden'])
      await other.http.get(`/api/v1/metadata/${id}?at=feature`).expect(404)
    await other.http.get('/api/v1/metadata/c?at=feature').expect(403)
    await other.http.get('/api/v1/metadata/open?at=feature').expect(200)
  })

  for (const git of ['auto', 'none'])
    it(`is read ${git === 'none' ? 'without' : 'with'} a git binary`, async () => {
      const tip = await commit({ [`${directory('a')}/document.json`]: '{"n":2}' })
      await back()
      const other = await startService({}, { git }, service.repository)
      for (const at of [tip, 'feature'])
        expect((await other.http.get(`/api/v1/metadata/a?at=${at}`).expect(200)).text).to.equal('{"n":2}')
    })
})
