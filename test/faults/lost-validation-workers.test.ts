import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { metadataRecordV1 } from '../support/http/test-service.js'
import { childrenOf, descendantsOf, killProcess, waitForChild } from '../support/program/child-processes.js'
import { isLongForm } from '../support/program/long-form.js'
import { stopProcesses } from '../support/program/run-program.js'
import { waitUntil } from '../support/repository/test-repository.js'
import {
  type MonitoredServer,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

/*
 * Killed worker processes and threads without memory. The client gets a result or 503. Nothing is stored without
 * validation.
 */

/** Script name of the process that validates large documents. */
const checker = 'validation-process-entry.js'
/** Padding that makes a document large enough for a separate process. */
const large = ' '.repeat(2 ** 20)
const distinct = (count: number) => Array.from({ length: count }, (_, n) => ({ n }))

/** Validates each member twice, so that the time doubles with each level of a document. */
const member = { a: { $ref: '#/$defs/twice' } }
const twice = { type: 'object', anyOf: [{ properties: member, required: ['b'] }, { properties: member }] }
/** A value whose validation takes about a second. */
const nested: object = Array.from({ length: 23 }).reduce<object>(a => ({ a }), {})

describe('validation workers that fail', () => {
  let watched: MonitoredServer
  before(async function () {
    if (!existsSync('/proc/self/stat')) this.skip()
    watched = await startMonitoredServer('--validation-time', '20000', '--validation-memory', '64')
    const schema = JSON.stringify({ uniqueItems: true, items: { $ref: '#/$defs/twice' }, $defs: { twice } })
    expect((await watched.postSchema({ schemaId: 'distinct' }, schema)).status).to.equal(201)
  })
  after(async () => {
    stopCanaryServers()
    await stopProcesses()
  })

  let count = 0
  const create = (document: string, schemaId = 'distinct') =>
    watched.postMetadata(metadataRecordV1(`http://example.org/${++count}`, schemaId), document)
  const total = async () => (await watched.ask('GET', '/api/v1/metadata')).headers['content-range']
  const checkers = () => childrenOf(watched.server, checker)
  const slow = large + JSON.stringify([nested])

  it('are replaced by others for the same document if they are killed during its validation', async () => {
    await watched.stands(async () => {
      const asked = create(slow)
      const first = await waitForChild(watched.server, checker)
      await sleep(300)
      expect(killProcess(first)).to.equal(true)

      const { status, text } = await asked
      expect(status, text).to.equal(201)

      const invalid = create(large + JSON.stringify([nested, { n: 1 }, { n: 1 }]))
      await sleep(300)
      for (const process of checkers()) killProcess(process)
      expect((await invalid).status).to.equal(422)
    })
  })

  it('cause a 503 if they are killed repeatedly', async () => {
    const before = await total()
    await watched.stands(async () => {
      let isOver = false
      const asked = create(slow).finally(() => {
        isOver = true
      })
      asked.catch(() => undefined)
      // A busy machine still lists a process some milliseconds after its kill.
      const killed = new Set<number>()
      while (!isOver) {
        for (const process of checkers()) if (killProcess(process)) killed.add(process.pid)
        await sleep(killed.size % 2 === 0 ? 5 : 300)
      }
      const answer = await asked

      expect(answer.status, answer.text).to.equal(503)
      expect(answer.headers['retry-after']).to.match(/^\d+$/)
      expect(answer.body.detail).to.match(/failed.*Try again/)
      // The document is tried in two workers. With each of them, one that had started beside it may be killed.
      expect(killed.size, 'processes that were killed during the validation of one document').to.be.within(
        2,
        4,
      )
    })
    expect(await total()).to.equal(before)
    expect((await create(large + JSON.stringify(distinct(10)))).status).to.equal(201)
  })

  it('are replaced if they are killed while idle', async () => {
    await watched.stands(async () => {
      const killed = new Set<number>()
      for (let round = 0; round < (isLongForm ? 8 : 6); round++) {
        expect((await create(large + JSON.stringify(distinct(round)))).status).to.equal(201)
        // A busy machine still lists a process some milliseconds after its kill.
        const idle = checkers().filter(({ pid }) => !killed.has(pid))
        expect(idle).to.have.length.within(1, 2)
        for (const process of idle) {
          killProcess(process, round % 2 === 0 ? 'SIGKILL' : 'SIGTERM')
          killed.add(process.pid)
        }
        // The server may not have noticed the kill yet, or is just noticing it.
        await sleep(round % 3)
      }
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, n) => create(large + JSON.stringify(distinct(n)))),
      )
      for (const { status, text } of answers) expect(status, text).to.equal(201)
    })
  })

  it('leave no additional processes', async () => {
    const { pid } = watched.server.child
    await waitUntil('no more processes than workers', () =>
      Promise.resolve(descendantsOf(pid as number, checker).length <= 2),
    )
  })

  it('refuse a document if their memory is exhausted by it, and continue waiting tasks', async () => {
    expect((await watched.postSchema({ schemaId: 'greedy' }, '{"type":"array"}')).status).to.equal(201)
    await watched.stands(async () => {
      const [refused, ...others] = await Promise.all([
        // The parsed document needs many times the memory of its text.
        create(`[${'[],'.repeat(3_000_000)}1]`, 'greedy'),
        ...Array.from({ length: 30 }, (_, n) => create(JSON.stringify(distinct(n)))),
      ])
      expect(refused?.status, refused?.text).to.equal(422)
      expect(refused?.text).to.include('more than 64 MiB')
      for (const { status, text } of others) expect(status, text).to.equal(201)
      expect((await create('[]', 'greedy')).status).to.equal(201)
    })
  })
})
