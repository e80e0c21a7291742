import type { Middleware } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { isGitPath } from '../auth/challenge.js'
import { isElasticsearchSearch } from '../auth/search-paths.js'
import { isSafe } from '../checks/safe-methods.js'
import { openWaitEstimator } from './wait-estimate.js'

/** Limits for updates and validations. */
export interface UpdateLimits {
  /** Limit of the updates at the same time: each holds its body in memory. */
  readonly maxConcurrent: number
  /** Limit of the expected wait, in milliseconds. Work for clients that have given up in the meantime is wasted. */
  readonly maxWaitMs: number
}

export const defaultUpdateLimits: UpdateLimits = { maxConcurrent: 1000, maxWaitMs: 10_000 }

/** Refuses an update before its body is read, if too many updates run or it would wait for too long. */
export function limitUpdates({ maxConcurrent, maxWaitMs }: UpdateLimits): Middleware {
  let running = 0
  // Counts a request from the end of its body on: a slow upload says nothing about the pace of the server.
  const estimator = openWaitEstimator()
  return async (ctx, next) => {
    // Git commands and searches have limits of their own, in the service.
    if (isSafe(ctx.method) || isGitPath(ctx.path) || isElasticsearchSearch(ctx)) return await next()
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
