import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { asGroupLeader, killOnAbort } from '../../../src/store/process/process-group.js'

/** Runs `work` and returns the processes and groups that get a signal from this process. */
async function signalled(work: () => Promise<unknown>): Promise<readonly number[]> {
  const { kill } = process
  const targets: number[] = []
  process.kill = (pid, signal) => {
    if (signal !== 0) targets.push(pid)
    return kill.call(process, pid, signal)
  }
  try {
    await work()
  } finally {
    process.kill = kill
  }
  return targets
}

describe('the end of a process group', () => {
  it('sends no signal to a number that the system may have given to another group', async () => {
    const child = spawn('true', { ...asGroupLeader, stdio: 'ignore' })
    const over = new AbortController()
    // The output of the program was not read to its end.
    killOnAbort(child, over.signal, new Promise(() => undefined))
    await once(child, 'exit')

    expect(await signalled(async () => over.abort())).to.deep.equal([])
  })

  it('reaches child processes that outlive their leader', async () => {
    const child = spawn('sh', ['-c', 'sleep 60 & echo $!'], {
      ...asGroupLeader,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const over = new AbortController()
    const closed = once(child, 'close')
    killOnAbort(child, over.signal, closed)
    child.stdout?.resume()
    await once(child, 'exit')

    expect(await signalled(async () => over.abort())).to.deep.equal([-(child.pid ?? 0)])
    await closed
  })
})
