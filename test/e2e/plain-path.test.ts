import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { generate } from '../../bench/data/generate-repository.js'
import { documentOf, idOf, schemaIdOf, schemaOf } from '../../bench/data/generated-records.js'
import { asVersion } from '../../src/core/value-types.js'
import { isLongForm } from '../support/program/long-form.js'
import {
  type RunningServer,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'
import { waitUntil } from '../support/repository/test-repository.js'
import { gitOutput, healthOf, sendAcceptedForm } from '../support/servers/server-requests.js'

/**
 * A repository that is large enough for pages that a thread reads, because they are long or more than 1024 entries away
 * from both ends of the list.
 */
const made = {
  ...(isLongForm ? { records: 2600, versions: 1.3 } : { records: 2200, versions: 1.1 }),
  ...{ schemas: 3, seed: 'plain', bare: true },
}
/** Number of a page of this size in the middle of the list. */
const deepPage = (size: number) => Math.floor(made.records / 2 / size)
/** Number of records that are compared one by one. */
const shown = isLongForm ? 60 : 24
/** Headers that differ between two answers with the same content. */
const ownOfEach = new Set(['date', 'x-request-id'])
/** Number of parallel requests, enough for batches. */
const atOnce = 32

describe('a server without fast paths (METASTORE_PLAIN=1)', () => {
  let folder: string
  let fast: RunningServer
  let plain: RunningServer

  before(async () => {
    folder = await temporaryFolder()
    await generate(join(folder, 'fast'), made)
    await cp(join(folder, 'fast'), join(folder, 'plain'), { recursive: true })
    fast = await serve('fast', '0')
    plain = await serve('plain', '1')
  })
  after(stopProcesses)

  function serve(data: string, METASTORE_PLAIN: string): Promise<RunningServer> {
    // No request here is a search, and an index of all records would take as long as the requests.
    const args = ['--data', data, '--base-url', 'https://metastore.example.org', '--search', 'none']
    return startServer(args, { cwd: folder, env: { METASTORE_PLAIN } })
  }

  async function read(server: RunningServer, [path, accept]: Question) {
    const answer = await fetch(server.url + path, { headers: { Accept: accept }, redirect: 'manual' })
    const body = Buffer.from(await answer.arrayBuffer()).toString('latin1')
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => !ownOfEach.has(name)))
    return { path, status: answer.status, headers, body }
  }

  /** Answers of a server in the order of the requests, of which many run in parallel. */
  async function answersOf(server: RunningServer, questions: readonly Question[]) {
    const answers: Awaited<ReturnType<typeof read>>[] = []
    for (let from = 0; from < questions.length; from += atOnce) {
      const some = questions.slice(from, from + atOnce)
      answers.push(...(await Promise.all(some.map(question => read(server, question)))))
    }
    return answers
  }

  async function compare(questions: readonly Question[]): Promise<void> {
    const expected = await answersOf(fast, questions)
    // The fast server gets all requests twice: the second time it remembers what it has counted.
    for (const server of [fast, plain]) {
      const answers = await answersOf(server, questions)
      for (const [index, answer] of answers.entries()) expect(answer).to.deep.equal(expected[index])
    }
    const statuses = expected.map(({ status }) => status)
    expect(Math.max(...statuses)).to.be.below(500)
    expect(statuses.filter(status => status === 200).length).to.be.above(questions.length / 2)
  }

  it('lists the same records on every page', async () => {
    const commit = await gitOutput(folder, 'fast', 'rev-parse', `main~${made.records / 20}`)
    const sorts = ['', '&sort=id,asc', '&sort=id,desc', '&sort=lastUpdate,asc']
    const filters = ['', `&schemaId=${schemaIdOf(1)}`, '&until=2024-10-01T00:00:00Z', `&at=${commit}`]
    const windows = ['size=20', ...[20, 7, 100].map(size => `size=${size}&page=${deepPage(size)}`)]
    const lists = windows.flatMap(window =>
      filters.flatMap(filter => sorts.map(sort => `api/v2/metadata?${window}${filter}${sort}`)),
    )
    const others = [
      'api/v1/metadata?size=2000',
      'api/v1/metadata?size=1000&page=1',
      'api/v1/schemas',
      'api/v2/ui/metadata?page=2&size=30',
      'dashboard',
      'metadata-management',
    ]
    await compare([...lists, ...others].map(path => [path, '*/*']))
  })

  it('follows the same links from page to page', async () => {
    const size = Math.ceil(made.records / 3)
    let path: string | undefined = `api/v2/metadata?size=${size}&sort=id,asc`
    let pages = 0
    while (path !== undefined) {
      const question: Question = [path, '*/*']
      const [one, other] = await Promise.all([read(fast, question), read(plain, question)])
      expect(other).to.deep.equal(one)
      path = /<https:\/\/metastore\.example\.org\/([^>]+)>; rel="next"/.exec(one.headers.link ?? '')?.[1]
      pages++
    }
    expect(pages).to.equal(3)
  })

  it('shows the same records, documents and histories', async () => {
    const ids = Array.from({ length: shown }, (_, index) =>
      idOf(made.seed, Math.floor((index * made.records) / shown)),
    )
    const records = ids.flatMap((id): Question[] => [
      [`api/v1/metadata/${id}`, '*/*'],
      [`api/v1/metadata/${id}`, 'application/vnd.datamanager.metadata-record+json'],
      [`api/v2/metadata/${id}`, 'application/vnd.datacite.org+json'],
      [`api/v2/metadata/${id}?version=1`, 'application/vnd.datacite.org+json'],
      [`api/v2/metadata/${id}/versions`, 'application/json'],
      [`api/v2/metadata/no-${id}`, '*/*'],
    ])
    const others: Question[] = [
      [`api/v2/schemas/${schemaIdOf(0)}`, '*/*'],
      [`api/v2/schemas/${schemaIdOf(0)}/versions`, 'application/json'],
      ['api/changes?limit=500', 'application/json'],
    ]
    await compare([...records, ...others])
    // A server runs only a few comparisons at once.
    for (const id of ids.slice(0, isLongForm ? 6 : 3))
      await compare([[`api/v2/metadata/${id}/blame`, 'application/json']])
  })

  it('stores updates that the other server reads unchanged', async () => {
    const ids = Array.from({ length: isLongForm ? 40 : 20 }, (_, index) => idOf(made.seed, index))
    const update = (server: RunningServer, number: number, version: number) => {
      const id = ids[number] as string
      const schema = schemaOf(made.seed, number, made.schemas)
      const bytes = documentOf(made.seed, number, asVersion(version), schema).toString()
      return sendAcceptedForm(server, 'PUT', `api/v1/metadata/${id}`, { part: 'document', bytes, etag: '*' })
    }
    await Promise.all(ids.map((_, number) => update(plain, number, 1000)))
    await Promise.all(ids.slice(0, 3).map((_, number) => update(plain, number, 1001)))
    const { code, stderr } = await runProgram(
      'git',
      ['-C', join(folder, 'fast'), 'fetch', join(folder, 'plain'), 'main:main'],
      { cwd: folder },
    )
    expect(code, stderr).to.equal(0)
    const commit = await gitOutput(folder, 'fast', 'rev-parse', 'main')
    await waitUntil('both servers are at the commit', async () => {
      const [one, other] = await Promise.all([healthOf(fast), healthOf(plain)])
      return one.catalog === commit && other.catalog === commit
    })

    await compare([
      ...ids.flatMap((id): Question[] => [
        [`api/v2/metadata/${id}`, 'application/vnd.datacite.org+json'],
        [`api/v2/metadata/${id}/versions`, 'application/json'],
        [`api/v1/metadata/${id}`, '*/*'],
        [`api/v1/metadata/no-${id}`, '*/*'],
      ]),
      ['api/v1/metadata?size=50', '*/*'],
      [`api/v1/metadata?size=20&page=${deepPage(20)}`, '*/*'],
    ])
    for (const name of ['fast', 'plain']) await gitOutput(folder, name, 'fsck', '--strict')
  })
})

type Question = readonly [path: string, accept: string]
