import type { Client } from '../access-control.js'
import { clientGone } from './client-work.js'
import { openFairQueue, type Waiting } from './fair-queue.js'

/**
 * Runs one job after the other, in turns of the clients.
 * @throws ProblemError `unavailable` if the client disconnects while its job waits
 */
type OneAtATime = <T>(job: () => Promise<T>, client: Client, signal?: AbortSignal) => Promise<T>

export function openOneAtATime(): OneAtATime {
  const waiting = openFairQueue<Waiting & { readonly begin: () => void }>()
  let isBusy = false

  function next(): void {
    const entry = isBusy ? undefined : waiting.take()
    if (!entry) return
    isBusy = true
    entry.begin()
  }

  function turn({ key }: Client, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(clientGone())
      const leave = waiting.add({
        client: key,
        isUrgent: true,
        begin() {
          signal?.removeEventListener('abort', give)
          resolve()
        },
      })
      const give = () => {
        leave()
        reject(clientGone())
      }
      signal?.addEventListener('abort', give, { once: true })
      next()
    })
  }

  return async (job, client, signal) => {
    await turn(client, signal)
    try {
      return await job()
    } finally {
      isBusy = false
      next()
    }
  }
}
