import type { Client } from '../access-control.js'
import { ProblemError } from '../problem.js'
import type { BeginWork } from './client-work.js'
import { openShares } from './fair-queue.js'

/** Limits the processes that work for clients: a process runs only in a slot. */
export interface ClientProcesses {
  /** Takes a slot. @throws ProblemError `unavailable` if this client, or all clients together, have too many */
  enter(client: Client): ProcessSlot
  /**
   * Runs work that may need a slot.
   * @param client undefined: a command, which needs no slot
   * @param work calls `begin` before anything long. The first call takes a slot, which is kept until the work ends
   * @throws ProblemError as {@link enter}; {@link ProcessLimits.lateProblem} after the time limit
   */
  serve<T>(client: Client | undefined, work: (begin: BeginWork) => Promise<T>): Promise<T>
}

/** The right to run one process and its child processes. */
export interface ProcessSlot {
  /** Aborted when the client disconnects, or after the time limit; the process then ends. */
  readonly signal: AbortSignal
  /** Whether the time limit was reached. */
  readonly isLate: boolean
  /** Extends the time limit, at most to that of a process that starts now. */
  extend(milliseconds: number): void
  /** Frees the slot, when the process has ended. A second call has no effect. */
  leave(): void
}

export interface ProcessLimits {
  /** Limit of the processes of all clients at once. One client may have half of them. */
  readonly maxProcesses: number
  /** Time limit of a process in milliseconds. */
  readonly maxMilliseconds: number
  /** What the processes do, for messages: `comparisons`. */
  readonly work: string
  /** Seconds after which a refused client should try again. */
  readonly retryAfter: number
  /** The problem for a client whose process has reached the time limit. */
  lateProblem(): ProblemError
}

export function openClientProcesses(limits: ProcessLimits): ClientProcesses {
  const { maxProcesses, work, retryAfter } = limits
  const shares = openShares(maxProcesses, maxForOneClient(maxProcesses))

  function enter(client: Client): ProcessSlot {
    const share = shares.enter(client)
    if (!share.take(1)) {
      const message = `Too many ${work} are under way: the limit is ${maxProcesses} of all clients and ${maxForOneClient(maxProcesses)} of one. Try again in a moment.`
      throw new ProblemError('unavailable', message, { retryAfter })
    }
    const deadline = openDeadline(limits)
    return {
      signal: client.signal ? AbortSignal.any([client.signal, deadline.signal]) : deadline.signal,
      get isLate() {
        return deadline.signal.aborted
      },
      extend: deadline.extend,
      leave() {
        deadline.clear()
        share.leave()
      },
    }
  }

  return {
    enter,
    async serve(client, work) {
      let slot: ProcessSlot | undefined
      const begin: BeginWork = () => {
        if (!client) return undefined
        slot ??= enter(client)
        return { client: client.key, signal: slot.signal }
      }
      try {
        const result = await work(begin)
        if (slot?.isLate) throw limits.lateProblem()
        return result
      } catch (error) {
        throw slot?.isLate ? limits.lateProblem() : error
      } finally {
        slot?.leave()
      }
    },
  }
}

/** A signal that aborts at a time limit, which can be moved. */
function openDeadline({ maxMilliseconds, lateProblem }: ProcessLimits) {
  const over = new AbortController()
  let end = performance.now() + maxMilliseconds
  let timer = startTimer(maxMilliseconds)

  function startTimer(milliseconds: number): NodeJS.Timeout {
    return setTimeout(abortIfOver, milliseconds).unref()
  }

  function abortIfOver(): void {
    const left = end - performance.now()
    if (left <= 0) over.abort(lateProblem())
    else timer = startTimer(left)
  }

  return {
    signal: over.signal,
    extend(milliseconds: number) {
      end = Math.min(performance.now() + maxMilliseconds, end + milliseconds)
    },
    clear: () => clearTimeout(timer),
  }
}

/** The limit of one client. @param max the limit of all clients */
export function maxForOneClient(max: number): number {
  return Math.ceil(max / 2)
}
