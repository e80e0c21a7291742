import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { canLook } from '../../bench/support/process-memory.js'
import { stopProcesses, temporaryFolder } from '../support/program/run-program.js'
import {
  type MonitoredServer,
  startWatchedIn,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

/* Checks that the monitor of attacked servers notices problems. */

describe('a monitored server', () => {
  let watched: MonitoredServer
  before(async () => {
    const git = join(await temporaryFolder(), 'git')
    // A wrapper of git that lets `tail` take memory during clones, in a process below its own. `tail` keeps an
    // unfinished line in memory. Node.js would need more address space than a clone may have.
    const taking = '(head -c 419430400 /dev/zero; sleep 1) | tail -n 1 >/dev/null'
    const script = `#!/bin/sh\ncase "$*" in *upload-pack*) ${taking};; esac\nexec git "$@"\n`
    await writeFile(git, script, { mode: 0o755 })
    // Holds the event loop for 2.5 s of processor time. The monitor does not count the time of other processes either,
    // and no limit is above 2 s.
    const holdOnSignal = `process.on('SIGUSR2', () => {
      const start = process.cpuUsage()
      for (let taken = { user: 0, system: 0 }; taken.user + taken.system < 2_500_000; ) taken = process.cpuUsage(start)
    })`
    const preload = `--import=data:text/javascript,${encodeURIComponent(holdOnSignal)}`
    watched = await startWatchedIn({ NODE_OPTIONS: preload }, '--git', git)
  })
  after(async () => {
    stopCanaryServers()
    await stopProcesses()
  })

  it('counts the memory of its child processes and their child processes', async function () {
    if (!canLook) this.skip()
    const attack = async () => {
      const answer = await watched.ask('GET', '/repository.git/info/refs?service=git-upload-pack')
      expect(answer.status, answer.text).to.equal(200)
    }

    await watched.stands(attack, { memory: 700 })
    const said = await watched.stands(attack, { memory: 350 }).then(
      () => 'nothing',
      (error: Error) => error.message,
    )

    expect(said).to.match(/^mebibytes that were taken: expected \d+ to be below 350$/)
  })

  it('fails an attack that blocks the event loop, and does not count an idle loop as blocked', async () => {
    await watched.stands(() => sleep(300))
    const said = await watched
      .stands(async () => {
        watched.server.child.kill('SIGUSR2')
        await sleep(500)
        // The server answers after the hold, and the monitor writes it down in the next tick.
        await watched.ask('GET', '/api/v1/metadata/probe')
        await sleep(500)
      })
      .then(
        () => 'nothing',
        (error: Error) => error.message,
      )

    expect(said).to.match(/^milliseconds that the event loop was held: expected \d+ to be at most \d+$/)
  })
})
