import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Run, Tally } from './open-loop-clients.js'

/** Clients in several processes: one process cannot send more requests than a server can take. */
export interface Crowd {
  /**
   * Divides a run among the processes and waits for its end.
   * @param heard receives the results of each interval of each process
   */
  run(run: Run, heard: (tally: Tally) => void): Promise<void>
  close(): Promise<void>
}

/** @param places number of processes with clients, including those of other callers */
export function openCrowd(processes: number, places: number): Crowd {
  const program = fileURLToPath(new URL('./client-process-entry.js', import.meta.url))
  const children = Array.from({ length: processes }, (_, place) =>
    fork(program, [String(place), String(places)], { serialization: 'advanced' }),
  )

  function runOne(child: ChildProcess, run: Run, heard: (tally: Tally) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (code: number | null) => reject(new Error(`A client process ended with code ${code}.`))
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
