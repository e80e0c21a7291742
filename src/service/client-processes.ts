import type { Client } from '../core/access.js'
import { ProblemError } from '../core/problem.js'
import { openShares } from '../core/shares.js'

/** The client of a request that a process works for. */
export interface Requester {
  readonly client: Client
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** Places for processes that work for clients. */
export interface ClientProcesses {
  /** @throws ProblemError `unavailable` where too many places are taken, by this client or by all */
  enter(requester: Requester): Place
}

/** One process, with all it starts. */
export interface Place {
  /** Ends the process: its client has gone, or its time is over. */
  readonly signal: AbortSignal
  /** Whether its time is over. */
  readonly isLate: boolean
  /** The process has ended. Calling it again has no effect. */
  leave(): void
}

export interface ProcessLimits {
  /** Processes of all clients at once; one client has half of them. */
  readonly most: number
  /** Milliseconds that one may take. */
  readonly longest: number
  /** What they do, as messages name it: `comparisons`. */
  readonly work: string
  /** Seconds after which a refused client tries again. */
  readonly retryAfter: number
}

export function openClientProcesses({ most, longest, work, retryAfter }: ProcessLimits): ClientProcesses {
  const shares = openShares(most, mostOfOne(most))
  return {
    enter({ client, signal }) {
      const share = shares.enter(client)
      if (!share.take(1)) {
        const message = `Too many ${work} are under way: the limit is ${most} of all clients and ${mostOfOne(most)} of one. Try again in a moment.`
        throw new ProblemError('unavailable', message, { retryAfter })
      }
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), longest)
      timer.unref()
      return {
        signal: AbortSignal.any([signal, late.signal]),
        get isLate() {
          return late.signal.aborted
        },
        leave() {
          clearTimeout(timer)
          share.leave()
        },
      }
    },
  }
}

/** @param most of all clients */
export function mostOfOne(most: number): number {
  return Math.ceil(most / 2)
}
