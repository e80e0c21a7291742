import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Run, Tally } from './open-loop-clients.js'

/** Clients in several processes, as one is not enough to send what a server cannot take. */
export interface Crowd {
  /**
   * Shares a run among the processes, and waits for its end.
   * @param heard told of everything, piece by piece
   */
  run(run: Run, heard: (tally: Tally) => void): Promise<void>
  close(): Promise<void>
}

/** @param places of these processes and of other clients there are */
export function openCrowd(processes: number, places: number): Crowd {
  const program = fileURLToPath(new URL('./client-process-entry.js', import.meta.url))
  const children = Array.from({ length: processes }, (_, place) =>
    fork(program, [String(place), String(places)], { serialization: 'advanced' }),
  )

  function runOne(child: ChildProcess, run: Run, heard: (tally: Tally) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (code: number | null) => reject(new Error(`A process of clients ended with ${code}.`))
      const listen = ({ ended, ...tally }: Tally & { readonly ended: boolean }) => {
        heard(tally)
        if (!ended) return
        child.off('message', listen)
        child.off('exit', failed)
        resolve()
      }
      child.on('message', listen)
      child.once('exit', failed)
      child.send(run)
    })
  }

  return {
    async run(run, heard) {
      const share = {
        ...run,
        connections: Math.ceil(run.connections / processes),
        ...(run.rate !== undefined && { rate: run.rate / processes }),
      }
      await Promise.all(children.map(child => runOne(child, share, heard)))
    },
    async close() {
      for (const child of children) {
        child.disconnect()
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      }
    },
  }
}
