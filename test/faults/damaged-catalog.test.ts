import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import Database from 'libsql'
import { selfPrincipal } from '../../src/core/access-control.js'
import { ProblemError } from '../../src/core/problem.js'
import { verifyRepository } from '../../src/features/maintenance/verify/verify-repository.js'
import { searchText } from '../support/data/search-requests.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startServiceWithWorkTree,
  type TestService,
} from '../support/http/test-service.js'
import { isLongForm } from '../support/program/long-form.js'
import { gitSync } from '../support/program/run-synchronously.js'
import { removeRepositories, waitUntil } from '../support/repository/test-repository.js'

/**
 * Damages to a file that the server has open. `seen`: the server notices the damage even if nothing reads the damaged
 * part.
 */
const harms: readonly { readonly what: string; readonly seen: boolean; harm(file: string): void }[] = [
  { what: 'is deleted', seen: true, harm: file => rmSync(file) },
  { what: 'is cut off', seen: true, harm: file => truncateSync(file, Math.floor(statSync(file).size / 2)) },
  { what: 'is emptied', seen: true, harm: file => truncateSync(file, 0) },
  { what: 'is overwritten', seen: false, harm: file => overwrite(file, 0) },
  { what: 'is overwritten behind its first page', seen: false, harm: file => overwrite(file, 4096) },
  {
    what: 'is exchanged for an old copy',
    seen: true,
    harm(file) {
      copyFileSync(file, `${file}.old`)
      renameSync(`${file}.old`, file)
    },
  },
]

/** Overwrites a part of a file in place. @param from the first byte that is overwritten */
function overwrite(path: string, from: number): void {
  writeFileSync(path, readFileSync(path).fill(0xa5, from), { flag: 'r+' })
}

describe('a catalog that is damaged while a server runs', () => {
  afterEach(removeRepositories)

  async function start(): Promise<{ service: TestService; own: string; ids: readonly string[] }> {
    const service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    const ids = ['one', 'two', 'three']
    for (const id of ids) {
      const record = { id, ...metadataRecordV1(`https://example.org/${id}`, 'note') }
      await service.postMetadata(record, `{"title":"${id}"}`).expect(201)
    }
    return { service, own: join(service.repository.dir, '.git/git-metastore'), ids }
  }

  /** Number of times that the server has reported a rebuild of its catalog. */
  function madeAnew({ repository }: TestService): number {
    return repository.reports.filter(line => line.includes('rebuilt')).length
  }

  /** Repeats an update until it succeeds. Until then it may only be refused with 503. */
  async function update(service: TestService, title: string): Promise<void> {
    await waitUntil('an update', async () => {
      const answer = await service.putMetadata('one', '*', undefined, `{"title":"${title}"}`)
      expect(answer.status, answer.text).to.be.oneOf([200, 503])
      return answer.status === 200
    })
  }

  /**
   * Repeats reads until all succeed. Until then each is correct or refused with 503.
   * @param made number of rebuilds to wait for
   */
  async function untilAnswered(service: TestService, ids: readonly string[], made: number): Promise<void> {
    const { http } = service
    const look = async (path: string, isRight: (answer: Awaited<ReturnType<typeof http.get>>) => boolean) => {
      const answer = await http.get(path)
      if (answer.status === 503) expect(answer.headers['retry-after'], answer.text).to.match(/^\d+$/)
      else expect(isRight(answer), `${path}: ${answer.status} ${answer.text}`).to.equal(true)
      return answer.status === 200
    }
    await waitUntil('all reads succeed', async () => {
      const seen = [
        await look('/api/v1/metadata', ({ body }) => (body as readonly unknown[]).length === ids.length),
        await look('/api/v1/metadata/two', ({ text }) => text === '{"title":"two"}'),
        await look('/api/v1/schemas/note', ({ status }) => status === 200),
        // Another thread reads many revisions that are requested at once.
        ...(await Promise.all(
          Array.from({ length: 12 }, () =>
            look('/api/v1/metadata/two', ({ text }) => text === '{"title":"two"}'),
          ),
        )),
      ]
      return madeAnew(service) >= made && seen.every(Boolean)
    })
  }

  for (const name of ['catalog.sqlite', 'catalog.sqlite-wal']) {
    it(`is rebuilt when ${name} is missing, truncated, overwritten or exchanged, and no wrong record is served`, async () => {
      const { service, own, ids } = await start()
      const { http, services } = service
      for (const { what, seen, harm } of harms) {
        // The update creates a write-ahead log.
        await update(service, `one, ${what}`)
        const made = madeAnew(service)
        harm(join(own, name))

        // A server that has not noticed the damage answers from memory, and the answers are correct.
        await untilAnswered(service, ids, seen ? made + 1 : made)

        await update(service, `one, ${what}, again`)
        await http.get('/health').expect(200)
        expect((await http.get('/api/v1/metadata/one').expect(200)).text).to.equal(
          `{"title":"one, ${what}, again"}`,
        )
      }
      await services.workTreeUpToDate()
      const complaints = []
      for await (const complaint of verifyRepository(services.parts)) complaints.push(complaint)
      expect(complaints).to.deep.equal([])
    })
  }

  it('refuses an update with 503 while another program locks it, and the update leaves no pack', async () => {
    const { service, own, ids } = await start()
    const { dir } = service.repository
    const git = (...args: string[]) => gitSync(args, dir).toString()
    const head = git('rev-parse', 'HEAD')
    const packs = () => readdirSync(join(dir, '.git/objects/pack'))
    const before = packs()
    const other = new Database(join(own, 'catalog.sqlite'))
    other.exec('BEGIN IMMEDIATE')

    const answer = await service.putMetadata(ids[0] as string, '*', undefined, '{"title":"later"}')

    expect(answer.status, answer.text).to.equal(503)
    expect(git('rev-parse', 'HEAD')).to.equal(head)
    expect(packs()).to.have.members(before)
    other.exec('ROLLBACK')
    other.close()
    await service.putMetadata(ids[0] as string, '*', undefined, '{"title":"later"}').expect(200)
    expect(git('fsck', '--strict', '--no-dangling')).to.equal('')
  })

  it('accepts an update at that moment, or refuses it with 503', async () => {
    const { service, own, ids } = await start()
    const { http } = service
    const etag = etagOf(await http.get('/api/v1/metadata/one').expect(200))
    overwrite(join(own, 'catalog.sqlite'), 4096)
    rmSync(join(own, 'catalog.sqlite-wal'))

    const taken = await waitUntil('an update', async () => {
      const answer = await service.putMetadata('one', etag, undefined, '{"title":"again"}')
      expect(answer.status, answer.text).to.be.oneOf([200, 503])
      return answer.status === 200 && answer
    })

    expect(etagOf(taken)).to.equal(`"${await service.head()}"`)
    await untilAnswered(service, ids, 1)
    // A read that was answered from memory before may get a 503 now.
    await untilAnswered(service, ids, 1)
    expect((await http.get('/api/v1/metadata/one').expect(200)).text).to.equal('{"title":"again"}')
  })

  it('is rebuilt with all acknowledged updates while many updates are under way', async () => {
    const { service, own, ids } = await start()
    const { http, services } = service
    const created: string[] = []
    let count = 0
    for (const { what, seen, harm } of harms) {
      const made = madeAnew(service)
      const answers = Array.from({ length: isLongForm ? 60 : 20 }, async () => {
        const id = `many-${count++}`
        const record = { id, ...metadataRecordV1(`https://example.org/${id}`, 'note') }
        const answer = await service.postMetadata(record, `{"title":"${id}"}`)
        expect(answer.status, `${what}: ${answer.text}`).to.be.oneOf([201, 503])
        if (answer.status === 201 || answer.text.includes('in the history all the same')) created.push(id)
      })
      await Promise.race(answers)
      harm(join(own, 'catalog.sqlite'))
      await Promise.all(answers)

      await waitUntil(`an update after the catalog ${what}`, async () => {
        const { status } = await service.putMetadata('one', '*', undefined, `{"title":"${what}"}`)
        return status === 200 && (!seen || madeAnew(service) > made)
      })
    }
    await waitUntil('a list', async () => (await http.get('/api/v1/metadata')).status === 200)
    for (const id of [...ids, ...created]) {
      const { text } = await http.get(`/api/v1/metadata/${id}`).expect(200)
      if (created.includes(id)) expect(text).to.equal(`{"title":"${id}"}`)
    }
    await services.workTreeUpToDate()
    const complaints = []
    for await (const complaint of verifyRepository(services.parts)) complaints.push(complaint)
    expect(complaints).to.deep.equal([])
  })

  it('still answers searches when the full-text index is damaged', async () => {
    const { service, own } = await start()
    const find = async () => {
      try {
        return (await searchText(service.services, selfPrincipal, 'two')).total
      } catch (error) {
        expect(error).to.be.instanceOf(ProblemError).with.property('kind', 'unavailable')
        return undefined
      }
    }
    expect(await find()).to.equal(1)
    const name = readdirSync(own).find(each => /^search-.*\.sqlite$/.test(each))
    const file = join(own, name ?? 'missing')
    for (const { seen, harm } of harms) {
      const made = madeAnew(service)
      harm(file)
      const isDone = () => !seen || madeAnew(service) > made
      await waitUntil('a search', async () => {
        const total = await find()
        expect(total).to.be.oneOf([1, undefined])
        return total === 1 && isDone()
      })
    }
  })
})
