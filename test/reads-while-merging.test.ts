import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { openConcatenator } from '../src/store/concatenator.js'
import { mergeLock } from '../src/store/pack-folder.js'
import { openProcessLock } from '../src/store/process-lock.js'
import { ownFolder } from '../src/store/repository.js'
import { online, stopListening } from './support/git-client.js'
import { jsonSchema, metadataRecord, startService } from './support/http.js'
import { cleanUp, type TestRepository, temporaryRepository } from './support/repository.js'
import { quickFolder } from './support/scratch.js'

const run = promisify(execFile)

/** How often packs are merged, as a multiple of the usual. */
const mergePace = 100
const milliseconds = 3000
const writers = 10
const readers = 10
const recordsOfAWriter = 10

/** What one reader asks: it takes a process of git. */
const difference = ({ id, version }: Written) => [`${id}/diff?from=1&to=${version}`, 'text/x-diff']

interface Written {
  readonly id: string
  readonly version: number
  readonly document: string
}

/** What most readers ask of a version that was stored. */
const questions = [
  ({ id }: Written) => [id, 'application/json'],
  ({ id, version }: Written) => [`${id}?version=${version}`, 'application/json'],
  ({ id, version }: Written) => [`${id}?version=${Math.ceil(version / 2)}`, 'application/json'],
  ({ id }: Written) => [id, 'application/vnd.repository.metadata-record+json'],
  ({ id, version }: Written) => [`${id}?version=${version}`, 'application/json'],
  ({ id }: Written) => [`${id}/versions`, 'application/json'],
] as const

describe('reads while packs are merged all the time', function () {
  this.timeout(120_000)
  afterEach(async () => {
    await stopListening()
    await cleanUp()
  })

  for (const git of ['auto', 'none'])
    for (const bare of [true, false])
      it(`find every object (git: ${git}, ${bare ? 'bare' : 'with a work tree'})`, async () => {
        const repository = await temporaryRepository({ bare, inside: quickFolder })
        const service = await startService({}, { git, mergePace }, repository)
        await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)

        const api = `${await online(service)}/api/v1/metadata`
        const gitDir = bare ? repository.dir : join(repository.dir, '.git')
        const { failures, reads, writes } = await load(api, repository, gitDir)
        await service.services.settled()

        expect(failures).to.deep.equal([])
        expect(Math.min(reads, writes)).to.be.greaterThan(20)
        expect(await repository.git('fsck', '--strict', '--full', '--no-dangling')).to.equal('')
      })
})

/** Writes, reads what was just written, and repacks as a person does, until a read fails or the time is over. */
async function load(api: string, { dir }: TestRepository, gitDir: string) {
  const newest: Written[] = []
  const failures: string[] = []
  let [reads, writes] = [0, 0]
  const end = Date.now() + milliseconds
  const isOver = () => Date.now() > end || failures.length > 0

  async function write(writer: number): Promise<void> {
    for (let round = 0; !isOver(); round++) {
      const id = `writer-${writer}-${round % recordsOfAWriter}`
      const document = JSON.stringify({ title: `round ${round} of ${id}` })
      const isNew = round < recordsOfAWriter
      const body = new FormData()
      const record = JSON.stringify(metadataRecord(`https://example.org/${id}`, 'note', { id }))
      if (isNew) body.append('record', new Blob([record], { type: 'application/json' }), 'record.json')
      body.append('document', new Blob([document]), 'document')
      const sent = isNew ? { method: 'POST', body } : { method: 'PUT', body, headers: { 'If-Match': '*' } }
      const answer = await fetch(isNew ? api : `${api}/${id}`, sent)
      const said = await answer.text()
      if (!answer.ok) failures.push(`write: ${answer.status} ${said}`)
      newest.unshift({ id, version: 1 + Math.floor(round / recordsOfAWriter), document })
      newest.length = Math.min(newest.length, readers)
      writes++
    }
  }

  async function read(reader: number): Promise<void> {
    for (let round = reader; !isOver(); round++) {
      const written = newest[reader % newest.length]
      if (!written) {
        await sleep(5)
        continue
      }
      const which = round % questions.length
      const [path = '', accept = ''] =
        reader === 0 ? difference(written) : (questions[which]?.(written) ?? [])
      const answer = await fetch(`${api}/${path}`, { headers: { accept } })
      const said = await answer.text()
      if (!answer.ok) failures.push(`${path}: ${answer.status} ${said}`)
      if (answer.ok && which === 1 && reader > 0 && said !== written.document)
        failures.push(`${path}: ${said} instead of ${written.document}`)
      reads++
    }
  }

  /** As another process of ours does that writes to the same folder. */
  async function mergeBeside(): Promise<void> {
    const ownDir = join(gitDir, ownFolder)
    const concatenator = openConcatenator(gitDir, ownDir)
    while (!isOver()) {
      const lock = openProcessLock(join(ownDir, mergeLock))
      if (lock.tryAcquire()) await concatenator.run()
      lock.close()
      await sleep(1)
    }
    await concatenator.close()
  }

  async function repack(): Promise<void> {
    for (let round = 0; !isOver(); round++) {
      await sleep(800)
      await run('git', ['-C', dir, ...(round % 2 ? ['gc', '-q'] : ['repack', '-adq'])])
    }
  }

  await Promise.all([
    ...Array.from({ length: writers }, (_, at) => write(at)),
    ...Array.from({ length: readers }, (_, at) => read(at)),
    mergeBeside(),
    repack(),
  ])
  return { failures, reads, writes }
}
