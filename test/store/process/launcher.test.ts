// test-schedule: alone
import { join } from 'node:path'
import { expect } from 'chai'
import { ProblemError } from '../../../src/core/problem.js'
import { leaveLauncher, runProgram, startProgram, useLauncher } from '../../../src/store/process/launcher.js'
import type { CollectedProgram } from '../../../src/store/process/run-program.js'
import { runNetworkCommand } from '../../../src/store/remotes/network-command.js'
import { openCommitSigner } from '../../../src/store/write/commit-signer.js'
import { formType, multipartBody } from '../../support/http/raw-connection.js'
import { jsonSchema } from '../../support/http/test-service.js'
import {
  descendantsOf,
  dropOutput,
  isRunning,
  killProcess,
  waitForChild,
} from '../../support/program/child-processes.js'
import { startServer, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'
import { waitUntil } from '../../support/repository/test-repository.js'
import { filePart, recordPart } from '../../support/servers/monitored-server.js'

const node = (script: string, more: Partial<CollectedProgram> = {}): CollectedProgram => ({
  command: process.execPath,
  args: ['-e', script],
  env: {},
  ...more,
})
const launchersBelow = (pid: number) => descendantsOf(pid, 'launcher-process-entry')

describe('programs that a server starts', () => {
  before(useLauncher)
  after(async () => {
    leaveLauncher()
    await stopProcesses()
  })

  it('return their output and exit status, or the reason why they could not start', async () => {
    const echo = node(
      'process.stdin.pipe(process.stdout); console.error(process.cwd()); process.exitCode = 3',
      {
        cwd: '/',
        input: 'ä'.repeat(300_000),
      },
    )
    const { code, stdout, stderr } = await runProgram(echo)
    expect([code, stdout.toString() === echo.input, stderr]).to.deep.equal([3, true, '/'])

    const error = await runProgram({ command: '/no/such/program', args: [], env: {} }).catch(e => e)
    expect(error).to.have.property('code', 'ENOENT')
  })

  for (const kind of [{ isForClient: true }, { isForClient: true, isInBackground: true }]) {
    const name = Object.keys(kind).at(-1)
    it(`end with all their child processes when their client disconnects: ${name}`, async () => {
      const gone = new AbortController()
      const sleeper = { command: 'sh', args: ['-c', 'sleep 1000 & sleep 1001'], env: process.env, ...kind }
      const running = runProgram(sleeper, gone.signal)
      const sleeping = () => descendantsOf(process.pid, 'sleep 100')
      const all = await waitUntil('both programs', () => sleeping().length >= 2 && sleeping())
      gone.abort()
      expect((await running).code).to.equal(undefined)
      await waitUntil('their end', () => !all.some(isRunning))
    })
  }

  describe('do not block the event loop while the system copies a large process', () => {
    // The system copies only pages that are in use.
    let memory: readonly Buffer[] = []
    before(() => {
      memory = Array.from({ length: 400 }, () => Buffer.alloc(2 ** 20, 1))
    })
    after(() => {
      memory = []
    })

    async function heldBy(run: () => Promise<unknown>, runs: number): Promise<number> {
      let held = 0
      for (let at = 0; at < runs; at++) {
        const began = performance.now()
        const running = run()
        held += performance.now() - began
        await running
      }
      return held
    }

    async function signCommit(): Promise<() => Promise<unknown>> {
      const key = join(await temporaryFolder(), 'key')
      await runProgram({ command: 'ssh-keygen', args: ['-q', '-N', '', '-f', key], env: process.env })
      const sign = await openCommitSigner(key)
      return () => sign(Buffer.from('commit'))
    }

    const never = new AbortController().signal
    const starts: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
      'a program': async () => () => runProgram({ command: 'true', args: [], env: process.env }),
      'a program whose streams are used': async () => {
        // Waits until the launcher is ready.
        await runProgram({ command: 'true', args: [], env: process.env })
        return () => startProgram({ command: 'true', args: [], env: process.env }).then(dropOutput)
      },
      'ssh-keygen for the signature of a commit': signCommit,
      'git for another repository': async () => () =>
        runNetworkCommand('git', undefined, ['ls-remote', '.'], never),
    }
    for (const [what, start] of Object.entries(starts)) {
      it(what, async () => {
        const run = await start()
        await heldBy(run, 1)
        const launched = await heldBy(run, 10)
        leaveLauncher()
        const direct = await heldBy(run, 10)
        useLauncher()
        expect(memory.length).to.equal(400)
        expect(launched, `milliseconds; ${direct} without a launcher`).to.be.below(direct / 3)
      })
    }
  })

  it('are ended with their child processes after a long silence', async () => {
    const sleeper = { command: 'sh', args: ['-c', 'echo begun; sleep 2000 & sleep 2001'], env: process.env }
    const { code, stdout, isTooSilent } = await runProgram({
      ...sleeper,
      hasOwnSession: true,
      maxSilence: 200,
    })
    expect([code, stdout.toString(), isTooSilent]).to.deep.equal([undefined, 'begun\n', true])
    await waitUntil('their end', () => descendantsOf(process.pid, 'sleep 200').length === 0)
  })

  it('are not ended while they print', async () => {
    const talker = {
      command: 'sh',
      args: ['-c', 'for i in 1 2 3 4; do echo $i; sleep 0.5; done'],
      env: process.env,
    }
    const { code, stdout, isTooSilent } = await runProgram({
      ...talker,
      hasOwnSession: true,
      maxSilence: 1000,
    })
    expect([code, stdout.toString(), isTooSilent]).to.deep.equal([0, '1\n2\n3\n4\n', false])
  })

  it('are refused for a moment after a kill of the launcher', async () => {
    const running = runProgram(node('setTimeout(() => {}, 100_000)'))
    const launcher = await waitUntil('the launcher', () => launchersBelow(process.pid)[0])
    killProcess(launcher)
    const error = await running.catch(e => e)
    expect(error).to.be.instanceOf(ProblemError).with.property('kind', 'unavailable')
    expect((await runProgram(node('console.log(1)'))).stdout.toString()).to.equal('1\n')
  })

  it('leave no process after a kill of their server', async () => {
    // The plain path has no launcher.
    const env = { METASTORE_PLAIN: '0' }
    const server = await startServer(['--data', join(await temporaryFolder(), 'data')], { env })
    const body = multipartBody(
      recordPart({ schemaId: 'note' }),
      filePart('schema', 's', 'application/json', jsonSchema()),
    )
    const url = `http://localhost:${server.port}/api/v1/schemas`
    const stored = await fetch(url, { method: 'POST', headers: { 'Content-Type': formType }, body })
    expect(stored.status, await stored.text()).to.equal(201)
    // The launcher starts git, which updates the index.
    const launcher = await waitForChild(server, 'launcher-process-entry')
    process.kill(server.child.pid as number, 'SIGKILL')
    await waitUntil('the end of the launcher', () => !isRunning(launcher))
  })
})
