import type { Client, Principal } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { BeginWork } from '../../core/scheduling/client-work.js'
import { openShares } from '../../core/scheduling/fair-shares.js'

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
  /**
   * Does work that may need a place.
   * @param requester undefined: a command, which needs none
   * @param work calls `begin` before it starts what takes long; the place is taken once, and kept until the work has
   *   ended
   * @throws ProblemError as {@link enter}; {@link ProcessLimits.late} where its time is over
   */
  serve<T>(requester: Requester | undefined, work: (begin: BeginWork) => Promise<T>): Promise<T>
}

/** One process, with all it starts. */
export interface Place {
  /** Ends the process: its client has gone, or its time is over. */
  readonly signal: AbortSignal
  /** Whether its time is over. */
  readonly isLate: boolean
  /** Gives it more time: as much as it had at first, at most. */
  prolong(milliseconds: number): void
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
  /** The answer to a client whose process has taken too long. */
  late(): ProblemError
}

export function openClientProcesses(limits: ProcessLimits): ClientProcesses {
  const { most, work, retryAfter } = limits
  const shares = openShares(most, mostOfOne(most))

  function enter({ client, signal }: Requester): Place {
    const share = shares.enter(client)
    if (!share.take(1)) {
      const message = `Too many ${work} are under way: the limit is ${most} of all clients and ${mostOfOne(most)} of one. Try again in a moment.`
      throw new ProblemError('unavailable', message, { retryAfter })
    }
    const deadline = openDeadline(limits)
    return {
      signal: AbortSignal.any([signal, deadline.signal]),
      get isLate() {
        return deadline.signal.aborted
      },
      prolong: deadline.prolong,
      leave() {
        deadline.clear()
        share.leave()
      },
    }
  }

  return {
    enter,
    async serve(requester, work) {
      let place: Place | undefined
      const begin: BeginWork = () => {
        if (!requester) return undefined
        place ??= enter(requester)
        return { client: requester.client.key, signal: place.signal }
      }
      try {
        const result = await work(begin)
        if (place?.isLate) throw limits.late()
        return result
      } catch (error) {
        throw place?.isLate ? limits.late() : error
      } finally {
        place?.leave()
      }
    },
  }
}

/** A signal that aborts when the time is over, and may be put off. */
function openDeadline({ longest, late }: ProcessLimits) {
  const over = new AbortController()
  let end = performance.now() + longest
  let timer = later(longest)

  function later(milliseconds: number): NodeJS.Timeout {
    return setTimeout(look, milliseconds).unref()
  }

  function look(): void {
    const left = end - performance.now()
    if (left <= 0) over.abort(late())
    else timer = later(left)
  }

  return {
    signal: over.signal,
    prolong(milliseconds: number) {
      end = Math.min(performance.now() + longest, end + milliseconds)
    },
    clear: () => clearTimeout(timer),
  }
}

/** @returns undefined for a caller that sent no request: a command */
export function requesterOf({ client }: Principal): Requester | undefined {
  return client && { client, signal: client.signal ?? never }
}

const never = new AbortController().signal

/** @param most of all clients */
export function mostOfOne(most: number): number {
  return Math.ceil(most / 2)
}
