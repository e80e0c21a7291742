import type { Context, Middleware } from 'koa'
import { openLinkedQueue } from '../../core/data-structures/linked-queue.js'
import { ProblemError } from '../../core/problem.js'
import { isSafe } from '../checks/host-and-origin.js'
import { isGitPath } from '../mounts.js'

/** Limits for updates and validations. */
export interface UpdateLimits {
  /** Limit of the updates at the same time: each holds its body in memory. */
  readonly maxConcurrent: number
  /** Limit of the expected wait, in milliseconds. Work for clients that have given up in the meantime is wasted. */
  readonly maxWaitMs: number
}

export const defaultUpdateLimits: UpdateLimits = { maxConcurrent: 1000, maxWaitMs: 10_000 }

/**
 * Refuses an update before its body is read, if too many updates run or it would wait for too long.
 * @param isSearch whether a request has a search in its body
 */
export function limitUpdates(
  { maxConcurrent, maxWaitMs }: UpdateLimits,
  isSearch: (ctx: Context) => boolean,
): Middleware {
  let running = 0
  // Counts a request from the end of its body on: a slow upload says nothing about the pace of the server.
  const estimator = openWaitEstimator()
  return async (ctx, next) => {
    // Git commands and searches have limits of their own, in the service.
    if (isSafe(ctx.method) || isGitPath(ctx.path) || isSearch(ctx)) return await next()
    const wait = estimator.expectedWaitMs()
    if (running >= maxConcurrent)
      throw refusal(
        `${maxConcurrent} updates are under way, which is the limit. Try again in a moment.`,
        wait,
      )
    // The estimate alone is too high at the start of a server, or while its disk stalls. So the oldest wait counts too.
    if (wait > maxWaitMs && estimator.oldestWaitMs() > maxWaitMs / 2)
      throw refusal(`Updates wait for ${Math.ceil(wait / 1000)} s, which is longer than the limit.`, wait)
    let done: (() => void) | undefined
    const received = () => {
      done = estimator.enqueue()
    }
    ctx.req.once('end', received)
    running += 1
    try {
      await next()
    } finally {
      running -= 1
      ctx.req.off('end', received)
      done?.()
    }
  }
}

/** The problem for an update that would wait too long. @param wait expected wait in milliseconds */
function refusal(reason: string, wait: number): ProblemError {
  return new ProblemError('unavailable', `${reason} Nothing of this update was stored; send it again.`, {
    retryAfter: Math.min(Math.max(1, Math.ceil(wait / 1000)), maxRetryAfter),
  })
}

/** Limit of `Retry-After`, in seconds. */
const maxRetryAfter = 30

/** Estimates how long a request waits in a queue. */
interface WaitEstimator {
  /** Adds a request to the queue. @returns function that removes the request; call it when the request is done */
  enqueue(): () => void
  /** Milliseconds that a new request would wait; 0 if unknown. */
  expectedWaitMs(): number
  /** Milliseconds that the oldest request has waited; 0 for an empty queue. */
  oldestWaitMs(): number
}

/** Least length of the queue to measure at: requests of a shorter queue are done as fast as they arrive. */
const minLength = 16
/** Milliseconds of one measurement. */
const interval = 1000
/** Number of measurements in the average: hundreds of updates are done at a time, and then none for some seconds. */
const maxIntervals = 10
/** Milliseconds for which the queue must be shorter than {@link minLength} until the measured rate is discarded. */
const expiry = 10_000

/**
 * Little's law, L = λW: the wait is the queue length ÷ the throughput.
 * @param clock the time in milliseconds
 * @see https://doi.org/10.1287/opre.9.3.383
 */
export function openWaitEstimator(clock = () => performance.now()): WaitEstimator {
  const queue = openLinkedQueue<{ readonly since: number }>()
  /** Requests done in this measurement. */
  let done = 0
  /** Requests a millisecond; undefined: not known. */
  let rate: number | undefined
  let intervals = 0
  /** Start of this measurement; undefined: the queue is too short. */
  let since: number | undefined
  let idleSince = 0

  function measure(): void {
    const now = clock()
    if (since === undefined || now - since < interval) return
    const latest = done / (now - since)
    intervals = Math.min(intervals + 1, maxIntervals)
    rate = rate === undefined ? latest : rate + (latest - rate) / intervals
    done = 0
    since = now
  }

  function begin(now: number): void {
    since = now
    done = 0
    if (now - idleSince < expiry) return
    rate = undefined
    intervals = 0
  }

  return {
    enqueue() {
      const entry = { since: clock() }
      const leave = queue.join(entry)
      if (queue.size === minLength) begin(entry.since)
      return () => {
        leave()
        done += 1
        measure()
        if (queue.size >= minLength || since === undefined) return
        idleSince = clock()
        since = undefined
      }
    },
    expectedWaitMs() {
      measure()
      return rate === undefined || since === undefined ? 0 : queue.size / rate
    },
    oldestWaitMs() {
      const { first } = queue
      return first ? clock() - first.since : 0
    },
  }
}
