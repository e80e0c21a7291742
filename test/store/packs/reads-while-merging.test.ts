import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { PackMerger } from '../../../src/store/packs/pack-merger.js'
import { ownFolder } from '../../../src/store/repository/open-repository.js'
import { closeListeners, gitClient, listenOnPort } from '../../support/git/git-client.js'
import { jsonSchema, metadataRecordV1, startService } from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { stopProcesses } from '../../support/program/run-program.js'
import { quickFolder } from '../../support/repository/plain-git-repository.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
} from '../../support/repository/test-repository.js'

const execute = promisify(execFile)

/** Frequency of merges, as a multiple of the default. */
const mergePace = 100
const readers = 10
/** Number of git clients. It is small, because a server that answers git delays updates. */
const clients = 3
const recordsOfAWriter = 10

/** Request of one reader. It needs a process of git. */
const difference = ({ id, version }: Written) => [`${id}/diff?from=1&to=${version}`, 'text/x-diff']

interface Written {
  readonly id: string
  readonly version: number
  readonly document: string
  readonly commit: string
}

/** Requests of the other readers for a stored version. */
const questions = [
  ({ id }: Written) => [id, 'application/json'],
  ({ id, version }: Written) => [`${id}?version=${version}`, 'application/json'],
  ({ id, version }: Written) => [`${id}?version=${Math.ceil(version / 2)}`, 'application/json'],
  ({ id }: Written) => [id, 'application/vnd.repository.metadata-record+json'],
  ({ id, version }: Written) => [`${id}?version=${version}`, 'application/json'],
  ({ id }: Written) => [`${id}/versions`, 'application/json'],
] as const

describe('reads while packs are merged continuously', () => {
  afterEach(async () => {
    await closeListeners()
    await removeRepositories()
    await stopProcesses()
  })

  // The short form has each way to read, and each kind of repository, in one of two tests.
  for (const git of ['auto', 'none'])
    for (const bare of isLongForm ? [true, false] : [git === 'none'])
      it(`find every object (git: ${git}, ${bare ? 'bare' : 'with a work tree'})`, async () => {
        const repository = await temporaryRepository({ bare, inside: quickFolder })
        const service = await startService({}, { git, mergePace }, repository)
        await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)

        const api = `${await listenOnPort(service)}/api/v1/metadata`
        const gitDir = bare ? repository.dir : join(repository.dir, '.git')
        const reading = (run: Run) => Array.from({ length: readers }, (_, index) => read(api, run, index))
        const longest = isLongForm ? 30_000 : 1000
        const [writers, fewest] = [10, 20]
        const { failures, reads, writes } = await load(api, repository, gitDir, {
          longest,
          fewest,
          writers,
          reading,
        })
        await service.services.workTreeUpToDate()

        expect(failures).to.deep.equal([])
        expect(Math.min(reads, writes)).to.be.greaterThan(fewest)
        expect(await repository.git('fsck', '--strict', '--full', '--no-dangling')).to.equal('')
      })

  it('find every object in clones and fetches', async () => {
    const repository = await temporaryRepository({ bare: true, inside: quickFolder })
    const service = await startService({}, { mergePace }, repository)
    await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)

    const origin = await listenOnPort(service)
    const reading = (run: Run) => Array.from({ length: clients }, () => cloneAndFetch(origin, run))
    const api = `${origin}/api/v1/metadata`
    const [longest, fewest, writers] = [isLongForm ? 30_000 : 1500, clients, 2]
    const { failures, reads, writes } = await load(api, repository, repository.dir, {
      longest,
      fewest,
      writers,
      reading,
    })
    await service.services.workTreeUpToDate()

    expect(failures).to.deep.equal([])
    expect(Math.min(reads, writes)).to.be.greaterThan(fewest)
  })
})

/** A load that continues until a read fails or the time is over. */
interface Run {
  readonly isOver: () => boolean
  /** The latest stored versions, newest first. */
  readonly newest: readonly Written[]
  readonly failures: string[]
  reads: number
}

interface Load {
  /** Duration in milliseconds. A busy machine gets more time for the same work. */
  readonly longest: number
  /** Minimum number of reads and of writes. */
  readonly fewest: number
  readonly writers: number
  /** Starts the readers. */
  readonly reading: (run: Run) => readonly Promise<void>[]
}

/** Writes, merges as another process does, and repacks as a person does, while readers run. */
async function load(
  api: string,
  { dir }: TestRepository,
  gitDir: string,
  { longest, fewest, writers, reading }: Load,
) {
  const newest: Written[] = []
  const failures: string[] = []
  let writes = 0
  const end = Date.now() + longest
  const run: Run = { isOver, newest, failures, reads: 0 }
  function isOver(): boolean {
    const isEnough = Math.min(run.reads, writes) > fewest || Date.now() > end + 10_000
    return failures.length > 0 || (Date.now() > end && isEnough)
  }

  async function write(writer: number): Promise<void> {
    for (let round = 0; !isOver(); round++) {
      const id = `writer-${writer}-${round % recordsOfAWriter}`
      const document = JSON.stringify({ title: `round ${round} of ${id}` })
      const isNew = round < recordsOfAWriter
      const body = new FormData()
      const record = JSON.stringify(metadataRecordV1(`https://example.org/${id}`, 'note', { id }))
      if (isNew) body.append('record', new Blob([record], { type: 'application/json' }), 'record.json')
      body.append('document', new Blob([document]), 'document')
      const sent = isNew ? { method: 'POST', body } : { method: 'PUT', body, headers: { 'If-Match': '*' } }
      const answer = await fetch(isNew ? api : `${api}/${id}`, sent)
      const said = await answer.text()
      if (!answer.ok) failures.push(`write: ${answer.status} ${said}`)
      const commit = JSON.parse(answer.headers.get('etag') ?? '""')
      newest.unshift({ id, version: 1 + Math.floor(round / recordsOfAWriter), document, commit })
      newest.length = Math.min(newest.length, readers)
      writes++
    }
  }

  await Promise.all([
    ...Array.from({ length: writers }, (_, index) => write(index)),
    ...reading(run),
    mergeUntilOver(gitDir, isOver),
    repack(dir, isOver),
  ])
  return { failures, reads: run.reads, writes }
}

async function read(api: string, run: Run, reader: number): Promise<void> {
  const { newest, failures, isOver } = run
  for (let round = reader; !isOver(); round++) {
    const written = newest[reader % newest.length]
    if (!written) {
      await sleep(5)
      continue
    }
    const which = round % questions.length
    const [path = '', accept = ''] = reader === 0 ? difference(written) : (questions[which]?.(written) ?? [])
    const answer = await fetch(`${api}/${path}`, { headers: { accept } })
    const said = await answer.text()
    if (!answer.ok) failures.push(`${path}: ${answer.status} ${said}`)
    if (answer.ok && which === 1 && reader > 0 && said !== written.document)
      failures.push(`${path}: ${said} instead of ${written.document}`)
    run.reads++
  }
}

/** Clones by either version of the protocol, then fetches. Each clone must contain the acknowledged commits. */
async function cloneAndFetch(origin: string, run: Run): Promise<void> {
  const { newest, failures, isOver } = run
  const { folder, attempt } = await gitClient()
  for (let round = 0; !isOver(); round++) {
    const clone = `clone-${round}`
    const protocol = `protocol.version=${round % 2 ? 0 : 2}`
    for (const args of [
      ['-c', protocol, 'clone', '-q', '--bare', `${origin}/repository.git`, clone],
      ['-c', protocol, '-C', clone, 'fetch', '-q', 'origin', 'main:main'],
    ]) {
      if (isOver()) break
      const acknowledged = newest[0]?.commit ?? 'HEAD'
      const { code, stderr } = await attempt(...args)
      const has = await attempt('-C', clone, 'merge-base', '--is-ancestor', acknowledged, 'main')
      if (code !== 0 || has.code !== 0) failures.push(`${args.join(' ')}: ${stderr} ${has.stderr}`)
      run.reads++
    }
    await rm(join(folder, clone), { recursive: true, force: true })
  }
}

/** Merges packs as another git-metastore process with the same folder does. */
async function mergeUntilOver(gitDir: string, isOver: () => boolean): Promise<void> {
  const ownDir = join(gitDir, ownFolder)
  const merger = new PackMerger({ gitDir, ownDir, stagingDir: ownDir, git: undefined })
  while (!isOver()) {
    await merger.concatenate()
    await sleep(1)
  }
  await merger.close()
}

async function repack(dir: string, isOver: () => boolean): Promise<void> {
  for (let round = 0; !isOver(); round++) {
    await sleep(isLongForm ? 800 : 550)
    await execute('git', ['-C', dir, ...(round % 2 ? ['gc', '-q'] : ['repack', '-adq'])])
  }
}
