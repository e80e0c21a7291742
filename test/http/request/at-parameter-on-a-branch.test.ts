// test-schedule: first
import fs from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { mock } from 'node:test'
import { expect } from 'chai'
import fc from 'fast-check'
import { type Principal, selfPrincipal } from '../../../src/core/access-control.js'
import type { Id } from '../../../src/core/value-types.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  shown,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const version2Type = 'application/vnd.datacite.org+json'

describe('a point outside the served history', () => {
  let service: TestService
  const directory = (id: string) => recordDirectory('metadata', id as Id)

  async function start(): Promise<void> {
    service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 's' }, jsonSchema('n')).expect(201)
    for (const id of ['a', 'b', 'c'])
      await service.postMetadata(metadataRecordV1(`about ${id}`, 's', { id }), '{"n":1}').expect(201)
    await service.services.workTreeUpToDate()
    await service.repository.patiently('checkout', '-q', '-b', 'feature')
  }

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

  describe('with changes of a record', () => {
    let tip: string
    before(async () => {
      await start()
      await commit({ [`${directory('a')}/document.json`]: '{"n":2}' })
      tip = await commit({ [`${directory('a')}/document.json`]: '{"n":3}', 'README.md': 'x' })
      await back()
      for (let n = 10; n < 13; n++) await service.putMetadata('a', '*', undefined, `{"n":${n}}`).expect(200)
      await service.putMetadata('b', '*', undefined, '{"n":20}').expect(200)
    })
    after(removeRepositories)

    for (const [name, pointOf] of [
      ['the branch', () => 'feature'],
      ['its commit', () => tip],
      ['a prefix of its commit', () => tip.slice(0, 9)],
    ] as const) {
      it(`has the newest change of the branch, with its commit as ETag, by ${name}`, async () => {
        const path = `/api/v1/metadata/a?at=${pointOf()}`
        const answer = await get(path).expect(200)
        expect(answer.text).to.equal('{"n":3}')
        expect(etagOf(answer)).to.equal(`"${tip}"`)
        await get(path).set('If-None-Match', etagOf(answer)).expect(304)
      })

      it(`has all versions of the record up to it, by ${name}`, async () => {
        const path = `/api/v1/metadata/a?at=${pointOf()}`
        expect((await get(`${path}&version=2`).expect(200)).text).to.equal('{"n":2}')
        expect((await get(`${path}&version=1`).expect(200)).text).to.equal('{"n":1}')
        await get(`${path}&version=4`).expect(404)
      })

      it(`has other records in the state from which it branched, by ${name}`, async () => {
        expect((await get(`/api/v1/metadata/b?at=${pointOf()}`).expect(200)).text).to.equal('{"n":1}')
      })
    }

    it('is in the address of the document in a record of version 1', async () => {
      const { body } = await get('/api/v1/metadata/a?at=feature').set('Accept', metadataType).expect(200)
      expect(body).to.include({ recordVersion: 3 })
      const path = (body.metadataDocumentUri as string).replace(/^https?:\/\/[^/]+/, '')
      expect(path).to.equal(`/api/v1/metadata/a?version=3&at=${tip}`)
      expect((await get(path).expect(200)).text).to.equal('{"n":3}')
    })

    it('is in the Location of a record of version 2', async () => {
      const { headers } = await get('/repository/api/v2/metadata/a?at=feature')
        .set('Accept', version2Type)
        .expect(200)
      expect(headers.location).to.match(new RegExp(`version=3&at=${tip}$`))
    })

    it('has its author as the uploader in the content information', async () => {
      const { body } = await get('/repository/api/v2/metadata/a?at=feature')
        .set('Accept', 'application/vnd.datamanager.content-information+json')
        .expect(200)
      expect(body).to.include({ version: 3, uploader: 'Jane', size: 7 })
    })

    it('is the origin of a member that it changed', async () => {
      const { body } = await get('/api/v1/metadata/a?at=feature').set('Accept', metadataType).expect(200)
      const blame = await get('/api/v1/metadata/a/blame?at=feature').expect(200)
      expect(blame.body.members).to.deep.include({
        path: '/n',
        version: 3,
        commit: tip,
        time: body.lastUpdate,
        author: 'Jane',
      })
    })

    it('has the difference of its versions', async () => {
      const patch = await get('/api/v1/metadata/a/diff?from=1&to=3&at=feature')
        .set('Accept', 'application/json-patch+json')
        .expect(200)
      expect(patch.body).to.deep.equal([{ op: 'replace', path: '/n', value: 3 }])
    })

    it('has no list of versions: 400', async () => {
      await get('/api/v1/metadata/a/versions?at=feature').expect(400)
    })

    it('has a page of the record, with itself in the links', async () => {
      const page = await get('/metadata-landing-page?id=a&at=feature').expect(200)
      expect(page.text)
        .to.match(/n&quot;:\s*3/)
        .and.to.include(`at=${tip}`)
    })
  })

  describe('with records and a schema that exist only there', () => {
    let tip: string
    const validate = (query: string, text: string) =>
      service.http
        .post(`/api/v1/schemas/own/validate${query}`)
        .attach('document', Buffer.from(text), 'document')
    before(async () => {
      await start()
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
      tip = await commit({ 'schemas/own/part.json': '{"required":["own","more"]}' })
      await back()
    })
    after(removeRepositories)

    it('has the record and the document', async () => {
      const { body } = await get('/api/v1/metadata/new?at=feature').set('Accept', metadataType).expect(200)
      expect(body).to.include({ recordVersion: 1, schemaVersion: 1 })
      expect((await get('/api/v1/metadata/new?at=feature').expect(200)).text).to.equal('{"own":1}')
    })

    it('is necessary to read the record: without it the answer is 404', async () => {
      await get('/api/v1/metadata/new').expect(404)
    })

    it('lacks a record whose document does not fit its schema', async () => {
      await get('/api/v1/metadata/bad?at=feature').expect(404)
    })

    it('has each version of the files of the schema', async () => {
      const path = `/api/v1/schemas/own/files/part.json?at=${tip}`
      expect((await get(path).expect(200)).text).to.include('more')
      expect((await get(`${path}&version=1`).expect(200)).text).to.not.include('more')
    })

    it('validates by the newest version of the schema there', async () => {
      await validate('?at=feature', '{"own":1,"more":2}').expect(204)
      await validate('?at=feature', '{"own":1}').expect(422)
    })

    it('validates by an older version of the schema', async () => {
      await validate('?at=feature&version=1', '{"own":1}').expect(204)
    })

    it('is necessary to validate by the schema: without it the answer is 404', async () => {
      await validate('', '{"own":1}').expect(404)
    })

    it('has a list of its records and of the served ones, which lacks the invalid record', async () => {
      const listed = await get('/api/v1/metadata?at=feature&sort=id').expect(200)
      expect((listed.body as { id: string }[]).map(({ id }) => id)).to.deep.equal(['a', 'b', 'c', 'new'])
      expect(listed.headers['content-range']).to.equal('0-3/4')
    })

    it('has a list of its schemas and of the served ones', async () => {
      expect((await get('/api/v1/schemas?at=feature').expect(200)).body).to.have.length(2)
    })

    it('has no list of the versions of a record: 400 with an alternative', async () => {
      const versions = await get('/api/v1/metadata?id=a&at=feature').expect(400)
      expect(versions.body.detail)
        .to.include(tip)
        .and.to.match(/at=[0-9a-f]{40}/)
    })

    it('does not affect the list of the served records', async () => {
      expect((await get('/api/v1/metadata').expect(200)).body).to.have.length(3)
    })
  })

  describe('with records that the caller may not read today', () => {
    let other: TestService
    before(async () => {
      await start()
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
      const ben: Principal = { ...selfPrincipal, sid: 'ben', name: 'ben', administrator: false }
      other = await startService({ identify: () => ben }, {}, service.repository)
    })
    after(removeRepositories)

    it('shows the administrator a record that is REVOKED today, and none that is GONE', async () => {
      await get('/api/v1/metadata/a?at=feature').expect(200)
      await get('/api/v1/metadata/b?at=feature').expect(404)
    })

    for (const [id, status, why] of [
      ['a', 404, 'it is REVOKED today'],
      ['b', 404, 'it is GONE today'],
      ['hidden', 404, 'its access list does not name the caller'],
      ['c', 403, 'its access list today does not name the caller'],
      ['open', 200, 'everyone may read it'],
    ] as const) {
      it(`answers another caller with ${status} for the record ${id}: ${why}`, async () => {
        await other.http.get(`/api/v1/metadata/${id}?at=feature`).expect(status)
      })
    }
  })

  describe('in requests', () => {
    beforeEach(start)
    afterEach(removeRepositories)

    it('is refused by a search, and the answer names an alternative', async () => {
      const base = (await service.head()) as string
      await commit({ [`${directory('a')}/document.json`]: '{"n":2}' })
      await back()

      const { body } = await get('/api/v1/search?q=a&at=feature').expect(400)

      expect(body.detail).to.contain(`Search where the branch began with at=${base}`)
      expect(body.detail).to.not.contain('version')
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

    it('has the same states as after it is merged into the served branch', async () => {
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
            const { status, text, headers } = await get(`/api/v1/${query}at=${at}`).set(
              'Accept',
              metadataType,
            )
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

    for (const git of ['auto', 'none'])
      it(`is read ${git === 'none' ? 'without' : 'with'} a git binary`, async () => {
        const tip = await commit({ [`${directory('a')}/document.json`]: '{"n":2}' })
        await back()
        const other = await startService({}, { git }, service.repository)
        for (const at of [tip, 'feature'])
          expect((await other.http.get(`/api/v1/metadata/a?at=${at}`).expect(200)).text).to.equal('{"n":2}')
      })
  })
})
