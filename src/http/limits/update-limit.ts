import type { Middleware } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { isGitPath } from '../auth/challenge.js'
import { isElasticsearchSearch } from '../auth/search-paths.js'
import { isSafe } from '../checks/safe-methods.js'
import { openWaitEstimator } from './wait-estimate.js'

/** Limits for updates and validations. */
export interface UpdateLimits {
  /** Updates at once: each holds its body in memory. */
  readonly maxConcurrent: number
  /** Longest wait in the queue, in milliseconds. Work beyond the clients' own time-out is wasted. */
  readonly maxWaitMs: number
}

export const defaultUpdateLimits: UpdateLimits = { maxConcurrent: 1000, maxWaitMs: 10_000 }

/** Refuses an update before its body is read, if too many updates run or it would wait for too long. */
export function limitUpdates({ maxConcurrent, maxWaitMs }: UpdateLimits): Middleware {
  let running = 0
  // Counts complete requests only: a slow upload says nothing about the pace of the server.
  const estimator = openWaitEstimator()
  return async (ctx, next) => {
    // The service limits Git commands and searches itself.
    if (isSafe(ctx.method) || isGitPath(ctx.path) || isElasticsearchSearch(ctx)) return await next()
    const wait = estimator.expectedWaitMs()
    if (running >= maxConcurrent)
      throw refusal(
        `${maxConcurrent} updates are under way, which is the limit. Try again in a moment.`,
        wait,
      )
    // At the start of a server, or while its disk stalls, the estimate alone is too high.
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

/** @param wait expected wait in milliseconds */
function refusal(reason: string, wait: number): ProblemError {
  return new ProblemError('unavailable', `${reason} Nothing of this update was stored; send it again.`, {
    retryAfter: Math.min(Math.max(1, Math.ceil(wait / 1000)), maxRetryAfter),
  })
}

/** Seconds. */
const maxRetryAfter = 30
