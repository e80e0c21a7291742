import { expect } from 'chai'
import fc from 'fast-check'
import type request from 'supertest'
import { type Principal, selfPrincipal } from '../../../src/core/access-control.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  schemaType,
  shown,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const version2Type = 'application/vnd.datacite.org+json'

describe('a point of history', () => {
  let service: TestService
  /** Commits that made the versions 1, 2 and 3 of the record a. */
  let made: string[]

  async function start(): Promise<void> {
    service = await startService()
    await service.postSchema({ schemaId: 's' }, jsonSchema()).expect(201)
    await service.postMetadata(metadataRecordV1('about a', 's', { id: 'a' }), '{"n":1}').expect(201)
    made = [await service.head()]
    for (const n of [2, 3]) {
      await service.putMetadata('a', '*', undefined, `{"n":${n}}`).expect(200)
      made.push(await service.head())
    }
  }

  const get = (path: string) => service.http.get(`/api/v1${path}`)
  const read = async (at: string) => (await get(`/metadata/a?at=${encodeURIComponent(at)}`).expect(200)).text
  const refused = async (at: string, status: number) => {
    const answer = await get(`/metadata/a?at=${encodeURIComponent(at)}`).expect(status)
    const listed = await get(`/metadata?at=${encodeURIComponent(at)}`).expect(status)
    expect(listed.body.detail).to.equal(answer.body.detail)
    return answer.body.detail as string
  }
  const one = () => made[0] ?? ''

  describe('by its name', () => {
    beforeEach(start)
    afterEach(removeRepositories)

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
      for (const name of [
        'notes/x',
        'refs/notes/x',
        'x',
        'origin/x',
        'remotes/origin/x',
        'HEAD',
        'refs/heads',
      ])
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
      const created = Date.parse(
        (await get('/schemas/s').set('Accept', 'application/json')).headers.date ?? '',
      )
      expect(created).to.be.at.least(begin)
      expect((await get(`/schemas?at=${root}`).expect(200)).body).to.deep.equal([])
      expect((await get(`/metadata/a?at=${root}`).expect(404)).body.detail).to.include(root)
    })
  })

  describe('with the second version of a record, before a change of its schema', () => {
    before(async () => {
      await start()
      await service.putSchema('s', '*', undefined, jsonSchema('x')).expect(200)
    })
    after(removeRepositories)

    const contentInformation = 'application/vnd.datamanager.content-information+json'
    for (const [mount, types, foreign] of [
      ['/api/v1', ['*/*', metadataType, 'application/json'], [version2Type, contentInformation]],
      ['/repository/api/v2', ['*/*', version2Type, contentInformation, 'application/json'], [metadataType]],
    ] as const) {
      const path = `${mount}/metadata/a`
      for (const type of [...types, ...foreign]) {
        it(`answers GET ${path} as ${type} like ?version=2`, async () => {
          const then = await service.http.get(`${path}?version=2`).set('Accept', type)
          const at = await service.http.get(`${path}?at=${made[1]}`).set('Accept', type)
          expect(shown(at)).to.deep.equal(shown(then))
        })
      }

      for (const type of types) {
        it(`answers GET ${path} as ${type} with the commit as ETag, which If-None-Match can have`, async () => {
          const ask = () => service.http.get(`${path}?at=${made[1]}`).set('Accept', type)
          const at = await ask().expect(200)
          expect(etagOf(at)).to.equal(`"${made[1]}"`)
          expect(at.headers.vary).to.include('Accept')
          await ask().set('If-None-Match', etagOf(at)).expect(304)
        })
      }

      it(`has the versions of ${path} up to it`, async () => {
        const first = await service.http.get(`${path}?at=${made[1]}&version=1`).expect(200)
        expect(first.text).to.equal('{"n":1}')
        await service.http.get(`${path}?at=${made[1]}&version=3`).expect(404)
      })

      it(`lacks the later version of ${mount}/schemas/s`, async () => {
        await service.http.get(`${mount}/schemas/s?at=${made[1]}&version=2`).expect(404)
      })
    }

    it('applies to a download', async () => {
      expect((await service.http.get(`/download/metadata/a?at=${made[1]}`).expect(200)).text).to.equal(
        '{"n":2}',
      )
    })

    it('applies to the list of versions', async () => {
      const versions = await get(`/metadata/a/versions?at=${made[1]}`).expect(200)
      expect((versions.body as { version: number }[]).map(({ version }) => version)).to.deep.equal([2, 1])
    })

    it('applies to the origin of members', async () => {
      expect((await get(`/metadata/a/blame?at=${made[1]}`).expect(200)).body).to.include({ version: 2 })
    })

    it('applies to the difference of versions', async () => {
      await get(`/metadata/a/diff?from=1&to=2&at=${made[1]}`).expect(200)
      await get(`/metadata/a/diff?from=1&to=3&at=${made[1]}`).expect(404)
    })

    it('applies to the table of the user interface', async () => {
      const table = await get(`/ui/metadata?at=${made[1]}`).expect(200)
      expect(table.body.data[0].recordVersion).to.equal(2)
    })
  })

  describe('before a change of a further file of a schema', () => {
    const part = (name: string) => JSON.stringify({ type: 'object', required: [name] })
    const validate = (query: string, text: string) =>
      service.http
        .post(`/api/v1/schemas/parts/validate${query}`)
        .attach('document', Buffer.from(text), 'document')
    let then: string
    before(async () => {
      await start()
      const document = JSON.stringify({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $ref: 'part.json',
      })
      await service.postSchema({ schemaId: 'parts' }, document, { 'part.json': part('x') }).expect(201)
      then = await service.head()
      await service.http
        .put('/api/v1/schemas/parts')
        .set('If-Match', '*')
        .attach('include', Buffer.from(part('y')), { filename: 'part.json' })
        .expect(200)
    })
    after(removeRepositories)

    it('has the former file, and the newest state has the new one', async () => {
      expect((await get(`/schemas/parts/files/part.json?at=${then}`).expect(200)).text).to.equal(part('x'))
      expect((await get('/schemas/parts/files/part.json').expect(200)).text).to.equal(part('y'))
    })

    it('validates by the former file', async () => {
      await validate(`?at=${then}`, '{"x":1}').expect(204)
      await validate(`?at=${then}`, '{"y":1}').expect(422)
    })

    it('does not affect a validation without it', async () => {
      await validate('', '{"y":1}').expect(204)
    })

    it('has neither the file nor a validation before the schema exists: 404', async () => {
      await get(`/schemas/parts/files/part.json?at=${made[0]}`).expect(404)
      await validate(`?at=${made[0]}`, '{"y":1}').expect(404)
    })
  })

  describe('at which a caller could read more records than today', () => {
    const caller = (sid: string): Principal => ({ ...selfPrincipal, sid, name: sid, administrator: false })
    const as = (who: string, sent: request.Test) => sent.set('x-who', who)
    const acl = (more: readonly string[]) => ({
      acl: ['ann', ...more].map(sid => ({ sid, permission: sid === 'ann' ? 'ADMINISTRATE' : 'READ' })),
    })
    const record = (id: string, more: readonly string[]) =>
      metadataRecordV1(`about ${id}`, 's', { id, ...acl(more) })
    const ids = ['open', 'closed', 'revoked', 'gone']
    let own: TestService
    let then: string
    const at = (who: string, id: string) => as(who, own.http.get(`/api/v1/metadata/${id}?at=${then}`))
    /** Statuses of the records for ben before the changes. */
    const former: number[] = []
    before(async () => {
      own = await startService({ identify: ctx => caller(ctx.get('x-who')) })
      await as('ann', own.postSchema({ schemaId: 's', ...acl(['ben']) }, jsonSchema())).expect(201)
      for (const id of ids) await as('ann', own.postMetadata(record(id, ['ben']), '{}')).expect(201)
      then = await own.head()
      for (const id of ids) former.push((await at('ben', id)).status)
      await as('ann', own.putMetadata('closed', '*', record('closed', ['carl']))).expect(200)
      for (const id of ['revoked', 'gone', 'gone'])
        await as('ann', own.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*')).expect(204)
    })
    after(removeRepositories)

    it('shows all of them before the changes', () => {
      expect(former).to.deep.equal([200, 200, 200, 200])
    })

    for (const [who, id, status, why] of [
      ['ben', 'open', 200, 'may still read it'],
      ['ben', 'closed', 403, 'may no longer read it'],
      ['ben', 'revoked', 404, 'may not read REVOKED records'],
      ['ben', 'gone', 404, 'cannot read it: it is GONE'],
      ['carl', 'closed', 200, 'may read it today'],
      ['carl', 'open', 403, 'may not read it'],
      ['ann', 'closed', 200, 'administrates it'],
      ['ann', 'revoked', 200, 'administrates it'],
      ['ann', 'gone', 404, 'cannot read it: it is GONE'],
    ] as const) {
      it(`answers ${who} with ${status} for the record ${id}: ${who} ${why}`, async () => {
        await at(who, id).expect(status)
      })
    }

    it('hides a REVOKED record in the list of its versions: 404', async () => {
      await as('ben', own.http.get(`/api/v1/metadata?id=revoked&at=${then}`)).expect(404)
    })

    it('hides the landing page of a record that is GONE: 404', async () => {
      await as('ben', own.http.get(`/metadata-landing-page?id=gone&at=${then}`)).expect(404)
    })
  })

  describe('in requests', () => {
    beforeEach(start)
    afterEach(removeRepositories)

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
        expect(body.error.reason)
          .to.include('This search is of the newest state')
          .and.to.not.include('change')
      }
    })
  })

  it('returns the answers that the service gave at that time', async () => {
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
