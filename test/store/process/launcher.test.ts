// test-schedule: alone
import { join } from 'node:path'
import { expect } from 'chai'
import { ProblemError } from '../../../src/core/problem.js'
import { leaveLauncher, runProgram, useLauncher } from '../../../src/store/process/launcher.js'
import type { Program } from '../../../src/store/process/run-program.js'
import { formType, multipartBody } from '../../support/http/raw-connection.js'
import { jsonSchema } from '../../support/http/test-service.js'
import { descendantsOf, isRunning, killProcess, waitForChild } from '../../support/program/child-processes.js'
import { filePart, recordPart } from '../../support/program/monitored-server.js'
import { startServer, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'
import { waitUntil } from '../../support/repository/test-repository.js'

const node = (script: string, more: Partial<Program> = {}): Program => ({
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

  it('do not block the event loop while the system copies a large process', async () => {
    // Its pages have to be there.
    const memory = Array.from({ length: 400 }, () => Buffer.alloc(2 ** 20, 1))
    async function heldBy(runs: number): Promise<number> {
      let held = 0
      for (let run = 0; run < runs; run++) {
        const began = performance.now()
        const running = runProgram({ command: 'true', args: [], env: process.env })
        held += performance.now() - began
        await running
      }
      return held
    }
    await heldBy(1)
    const launched = await heldBy(10)
    leaveLauncher()
    const direct = await heldBy(10)
    useLauncher()
    expect(memory.length).to.equal(400)
    expect(launched, `milliseconds; ${direct} without a launcher`).to.be.below(direct / 3)
  })

  it('are refused for a moment after the launcher was killed', async () => {
    const running = runProgram(node('setTimeout(() => {}, 100_000)'))
    const launcher = await waitUntil('the launcher', () => launchersBelow(process.pid)[0])
    killProcess(launcher)
    const error = await running.catch(e => e)
    expect(error).to.be.instanceOf(ProblemError).with.property('kind', 'unavailable')
    expect((await runProgram(node('console.log(1)'))).stdout.toString()).to.equal('1\n')
  })

  it('leave no process when their server is killed', async () => {
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
    // Git brings the index up to date.
    const launcher = await waitForChild(server, 'launcher-process-entry')
    process.kill(server.child.pid as number, 'SIGKILL')
    await waitUntil('the end of the launcher', () => !isRunning(launcher))
  })
})
