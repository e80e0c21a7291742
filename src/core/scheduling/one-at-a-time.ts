import type { Client } from '../access-control.js'
import { ProblemError } from '../problem.js'
import { clientGone } from './client-work.js'
import { openFairQueue, type Waiting } from './fair-queue.js'

/**
 * Runs a job when no other one runs. Clients whose jobs wait take turns.
 * @param client undefined for the server itself and for a command
 * @throws ProblemError `unavailable` if the client disconnects while its job waits, or if too many jobs wait
 */
type OneAtATime = <T>(job: () => Promise<T>, client: Client | undefined, signal?: AbortSignal) => Promise<T>

/** Limits of the jobs that wait. */
export interface WaitingLimits {
  readonly maxWaiting: number
  /** The limit for one client. Jobs of the server itself are exempt. */
  readonly maxWaitingOfClient?: number
  /** A sentence for a client whose job exceeds a limit. */
  readonly refusal: string
  /** Seconds after which a refused client should try again. */
  readonly retryAfter: number
}

/**
 * Opens a queue for jobs that run one after the other. Clients take turns.
 * @param limits absent: any number of jobs may wait
 */
export function openOneAtATime(limits?: WaitingLimits): OneAtATime {
  const waiting = openFairQueue<Waiting & { readonly begin: () => void }>()
  let isBusy = false

  function next(): void {
    const entry = isBusy ? undefined : waiting.take()
    if (!entry) return
    isBusy = true
    entry.begin()
  }

  function isFull(client: Client | undefined): boolean {
    if (!limits) return false
    const { maxWaiting, maxWaitingOfClient = maxWaiting } = limits
    return (
      waiting.size >= maxWaiting || (client !== undefined && waiting.sizeOf(client.key) >= maxWaitingOfClient)
    )
  }

  function turn(client: Client | undefined, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(clientGone())
      if (limits && isFull(client))
        return reject(new ProblemError('unavailable', limits.refusal, { retryAfter: limits.retryAfter }))
      const leave = waiting.add({
        client: client?.key ?? '',
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
