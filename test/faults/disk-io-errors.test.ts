import { join } from 'node:path'
import { expect } from 'chai'
import {
  type RunningServer,
  runMetastore,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'
import { waitUntil } from '../support/repository/test-repository.js'
import { openLog, pathOf } from './rounds/acknowledged-updates.js'
import { openRounds } from './rounds/kill-rounds.js'
import { canTrace, tamperWithPath } from './rounds/system-call-faults.js'
import { openClients } from './rounds/update-clients.js'

/* Errors of a disk during an update. The server refuses this update and all later ones until it is started again. */

/** System calls that make an update durable: their effect, their name, and a pattern for the line of strace. */
const durable: readonly (readonly [what: string, name: string, file: RegExp])[] = [
  ['renames a spare file to its pack', 'rename', /git-metastore\/new-\w+", .*\/new-\w+\.pack"/],
  ['writes its pack', 'pwrite64', /git-metastore\/new-\w+\.pack>/],
  ['protects its pack', 'link', /objects\/pack\/pack-\w+\.keep"/],
  ['names its pack', 'rename', /objects\/pack\/pack-\w+\.pack"/],
  ['syncs the folder of packs', 'fsync', /objects\/pack>/],
  ['writes to the log of the branch', 'write', /logs\/refs\/heads\/main>/],
  ['moves the branch', 'rename', /refs\/heads\/main\.lock"/],
]

describe('a disk that reports an error', () => {
  before(function () {
    if (!canTrace) this.skip()
  })
  afterEach(stopProcesses)

  it('acknowledges neither the failed update nor any later one, whichever call failed', async () => {
    const over = await openRounds(join(await temporaryFolder(), 'hurt'), false, () => 0.6, false)

    for (const [what, name, file] of durable) {
      const outcome = await over.hurtFirst(name, file, { error: 'EIO', lasting: false })
      const { call, next, complaints, acknowledged } = outcome
      expect(call, what).to.match(file)
      expect(next, what).to.equal('refused')
      expect(complaints, what).to.deep.equal([])
      // The two updates before the error, which warm up the server.
      expect(acknowledged, what).to.equal(2)
    }

    expect(await over.close()).to.deep.equal([])
  })
})

describe('a server whose disk reported an error', () => {
  const said = 'The server takes no more updates until it is started again.'
  const log = openLog()
  let data: string
  let server: RunningServer
  let atFirst: { readonly stored: number; readonly takes: string | undefined; readonly ready: number }
  let call: string | undefined
  let refusedAtOnce: Refusal
  before(async function () {
    if (!canTrace) this.skip()
    const folder = await temporaryFolder()
    data = join(folder, 'data')
    expect((await runMetastore(['init', '--empty', data])).code).to.equal(0)
    server = await startServer(['--data', data], { ownProcess: true })
    const { pid } = server.child
    if (pid === undefined) throw new Error('The server has no process.')
    const clients = openClients(log, () => 0.6)
    await clients.register(server.url)
    atFirst = {
      stored: await clients.drive(server.url, 1, 2),
      takes: await takes(),
      ready: (await fetch(`${server.url}health/ready`)).status,
    }
    const fault = { name: 'fsync', path: packs(), error: 'EIO' } as const
    call = await tamperWithPath(pid, fault, folder, async () => {
      refusedAtOnce = await refusal()
    })
  })
  after(stopProcesses)

  const packs = () => join(data, '.git', 'objects', 'pack')
  const text = async (path: string) => await (await fetch(server.url + path)).text()
  const takes = async () => /^metastore_takes_updates (\d)$/m.exec(await text('metrics'))?.[1]
  type Refusal = readonly [status: number, detail: string]
  /** The answer to a create. */
  async function refusal(): Promise<Refusal> {
    const form = new FormData()
    const record = {
      schema: { identifier: 'note', identifierType: 'INTERNAL' },
      relatedResource: { identifier: 'https://example.org/refused', identifierType: 'URL' },
    }
    form.append('record', new Blob([JSON.stringify(record)]), 'record.json')
    form.append('document', new Blob(['{"title":"x"}']), 'document.json')
    const answer = await fetch(`${server.url}api/v1/metadata`, { method: 'POST', body: form })
    return [answer.status, ((await answer.json()) as { detail: string }).detail]
  }

  it('took updates before', () => {
    expect(atFirst).to.deep.equal({ stored: 2, takes: '1', ready: 200 })
  })

  it('refuses the update with 503 and the remedy', () => {
    expect(call).to.contain(`<${packs()}>`)
    expect(refusedAtOnce[0]).to.equal(503)
    expect(refusedAtOnce[1]).to.contain(said)
  })

  it('refuses later updates, too', async () => {
    const [status, detail] = await refusal()
    expect(status).to.equal(503)
    expect(detail).to.contain(said)
  })

  it('is not ready, because it is read-only', async () => {
    // The server repeats the last result of the check for a second.
    const ready = await waitUntil('the probe is refused', async () => {
      const answer = await fetch(`${server.url}health/ready`)
      return answer.status === 503 && answer
    })
    expect(await ready.json()).to.deep.include({
      status: 'READ_ONLY',
      checks: { repository: true, writable: false, catalog: true },
    })
  })

  it('reports the error by /health', async () => {
    const health = await fetch(`${server.url}health`)
    expect(health.status).to.equal(503)
    expect(await health.text()).to.contain(said)
  })

  it('reports the error by /metrics', async () => {
    expect(await takes()).to.equal('0')
  })

  it('reports the error to the operator', () => {
    expect(server.stderr()).to.contain(said)
  })

  it('still serves what it has acknowledged', async () => {
    expect(log.records).to.have.length.above(2)
    for (const known of log.records) expect(await text(pathOf(known))).to.equal(known.history.at(-1)?.bytes)
    expect((await fetch(`${server.url}api/v1/metadata`)).status).to.equal(200)
  })

  it('takes updates after a new start', async () => {
    expect((await server.stop()).code).to.equal(0)
    const again = await startServer(['--data', data])
    expect(await openClients(log, () => 0).drive(again.url, 1, 1)).to.equal(1)
  })
})
