import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { runHere } from '../../../src/store/process/run-program.js'

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
    if (!existsSync('/proc/self/autogroup')) this.skip()
  })

  describe('a program that works for a client', () => {
    // The priority is set after the start.
    const wait = 'for i in $(seq 50); do grep -q "nice 19" /proc/$$/autogroup && break; sleep 0.1; done'
    const printsPriority = { command: 'sh', args: ['-c', `${wait}; nice; cat /proc/$$/autogroup`], env }

    it('has a low priority, and so has its session among the sessions of the system', async () => {
      const { stdout } = await runHere({ ...printsPriority, isForClient: true })
      expect(stdout.toString()).to.match(/^19\n\S+ nice 19\n$/)
    })

    it('leaves the priority of the session of the server as it is', async () => {
      const before = readFileSync('/proc/self/autogroup', 'utf8')
      await runHere({ ...printsPriority, isForClient: true })
      expect(readFileSync('/proc/self/autogroup', 'utf8')).to.equal(before)
    })
  })

  describe('a program in the background', () => {
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
  })
})
