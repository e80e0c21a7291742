import { join } from 'node:path'
import { expect } from 'chai'
import { runMetastore, startServer, stopProcesses, temporaryFolder } from '../support/program/run-program.js'
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

describe('a disk that reports an error', function () {
  this.timeout(300_000)
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

  it('reports the error to writers, probes and monitors, and still serves reads', async () => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    expect((await runMetastore(['init', '--empty', data])).code).to.equal(0)
    const server = await startServer(['--data', data], { ownProcess: true })
    const { pid } = server.child
    if (pid === undefined) throw new Error('The server has no process.')
    const log = openLog()
    const clients = openClients(log, () => 0.6)
    await clients.register(server.url)
    const takes = async () => /^metastore_takes_updates (\d)$/m.exec(await text('metrics'))?.[1]
    const text = async (path: string) => await (await fetch(server.url + path)).text()
    expect(await clients.drive(server.url, 1, 2)).to.equal(2)
    expect(await takes()).to.equal('1')
    expect((await fetch(`${server.url}health/ready`)).status).to.equal(200)
    const said = 'The server takes no more updates until it is started again.'
    /** Expects that a create is refused because of the disk. */
    async function refused(): Promise<void> {
      const form = new FormData()
      const record = {
        schema: { identifier: 'note', identifierType: 'INTERNAL' },
        relatedResource: { identifier: 'https://example.org/refused', identifierType: 'URL' },
      }
      form.append('record', new Blob([JSON.stringify(record)]), 'record.json')
      form.append('document', new Blob(['{"title":"x"}']), 'document.json')
      const answer = await fetch(`${server.url}api/v1/metadata`, { method: 'POST', body: form })
      expect(answer.status).to.equal(503)
      expect(((await answer.json()) as { detail: string }).detail).to.contain(said)
    }
    const folderOfPacks = join(data, '.git', 'objects', 'pack')

    const call = await tamperWithPath(
      pid,
      { name: 'fsync', path: folderOfPacks, error: 'EIO' },
      folder,
      refused,
    )

    expect(call).to.contain(`<${folderOfPacks}>`)
    await refused()
    // The server repeats the last result of the check for a second.
    const ready = await waitUntil('the probe is refused', async () => {
      const answer = await fetch(`${server.url}health/ready`)
      return answer.status === 503 && answer
    })
    expect(await ready.json()).to.deep.include({
      status: 'READ_ONLY',
      checks: { repository: true, writable: false, catalog: true },
    })
    const health = await fetch(`${server.url}health`)
    expect(health.status).to.equal(503)
    expect(await health.text()).to.contain(said)
    expect(await takes()).to.equal('0')
    expect(server.stderr()).to.contain(said)
    expect(log.records).to.have.length.above(2)
    for (const known of log.records) expect(await text(pathOf(known))).to.equal(known.history.at(-1)?.bytes)
    expect((await fetch(`${server.url}api/v1/metadata`)).status).to.equal(200)

    expect((await server.stop()).code).to.equal(0)
    const again = await startServer(['--data', data])
    expect(await openClients(log, () => 0).drive(again.url, 1, 1)).to.equal(1)
  })
})
