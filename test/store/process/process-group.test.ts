import { existsSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { idleCommand, runHere } from '../../../src/store/process/run-program.js'

/** Fields of `/proc/PID/stat` from `pgrp` on. */
function statFields(stat: string): {
  readonly group: string
  readonly session: string
  readonly policy: string
} {
  const fields = stat.split(') ').at(-1)?.split(' ') ?? []
  return { group: fields[2] ?? '', session: fields[3] ?? '', policy: fields[38] ?? '' }
}

describe('priorities of programs', () => {
  const env = { ...process.env }
  before(function () {
    if (!existsSync('/proc/self/stat')) this.skip()
  })

  it('are low for a program that works for a client', async () => {
    // The priority changes only after the start.
    const wait = 'for i in $(seq 50); do test "$(nice)" = 19 && break; sleep 0.1; done'
    const { stdout } = await runHere({ command: 'sh', args: ['-c', `${wait}; nice`], env, isForClient: true })
    expect(stdout.toString()).to.equal('19\n')
  })

  describe('a program in the background', () => {
    before(async function () {
      if (!(await idleCommand(['true']))) this.skip()
    })

    const own = () => statFields(readFileSync('/proc/self/stat', 'utf8'))

    it('runs with SCHED_IDLE in a process group of its own, in the session of the server', async () => {
      const { stdout } = await runHere({
        command: 'cat',
        args: ['/proc/self/stat'],
        env,
        isInBackground: true,
      })
      const { group, ...others } = statFields(stdout.toString())
      expect(others).to.deep.equal({ session: own().session, policy: '5' })
      expect(group).not.to.equal(own().group)
    })

    it('returns output and exit code', async () => {
      const script = 'cat; echo said >&2; exit 129'
      const program = { command: 'sh', args: ['-c', script], env, input: 'read', isInBackground: true }
      const { code, signal, stdout, stderr } = await runHere(program)
      expect([code, signal, stdout.toString(), stderr]).to.deep.equal([129, undefined, 'read', 'said'])
    })

    it('reports a missing program, and the signal that ended a program', async () => {
      const missing = { command: 'no-such-program', args: [], env, isInBackground: true }
      const error = await runHere(missing).catch(e => e)
      expect(error).to.have.property('code', 'ENOENT')
      const killed = await runHere({
        command: 'sh',
        args: ['-c', 'kill -SEGV $$'],
        env,
        isInBackground: true,
      })
      expect([killed.code, killed.signal]).to.deep.equal([undefined, 'SIGSEGV'])
    })

    it('ends by SIGTERM, without SIGKILL, if it is aborted at any time after its start', async () => {
      // `timeout` makes its process group and starts the program within milliseconds. The exact time depends on the
      // machine.
      const moments = [...Array.from({ length: 300 }, (_, round) => (round % 60) / 15), 5, 8, 12, 20]
      const sent = signalsSentToGroups()
      for (const milliseconds of moments) {
        const over = new AbortController()
        const program = { command: 'sleep', args: ['600'], env, isInBackground: true }
        const running = runHere(program, over.signal)
        const began = performance.now()
        while (performance.now() - began < milliseconds) await setImmediate()
        over.abort()
        const { code, signal } = await running
        expect([code, signal], `${milliseconds} ms`).to.deep.equal([undefined, 'SIGTERM'])
        expect(sent, `${milliseconds} ms`).to.not.include('SIGKILL')
      }
      expect(new Set(sent)).to.deep.equal(new Set(['SIGTERM']))
    })

    /** The signals that this process sends to process groups until the end of the test. */
    function signalsSentToGroups(): (string | number | undefined)[] {
      const sent: (string | number | undefined)[] = []
      process.kill = (pid, signal) => {
        if (pid < 0) sent.push(signal)
        return kill(pid, signal)
      }
      return sent
    }
    const { kill } = process
    afterEach(() => {
      process.kill = kill
    })

    it('does not start if it is aborted before', async () => {
      const over = new AbortController()
      over.abort()
      const program = { command: 'sh', args: ['-c', 'echo started'], env, isInBackground: true }
      const { code, stdout } = await runHere(program, over.signal)
      expect([code, stdout.length]).to.deep.equal([undefined, 0])
    })
  })
})
