import type { Middleware } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { isGitPath } from '../auth/challenge.js'
import { openWaitEstimator } from './wait-estimate.js'

/** What of updates and validations there may be at once. */
export interface UpdateLimits {
  /** That are under way: each holds its body in memory. */
  readonly maxConcurrent: number
  /** Milliseconds one may have to wait for its turn: what is waited for longer than clients wait is done for nobody. */
  readonly maxWaitMs: number
}

export const defaultUpdateLimits: UpdateLimits = { maxConcurrent: 1000, maxWaitMs: 10_000 }

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Refuses, before it is read, what there is no room for, and what would wait for too long. */
export function limitUpdates({ maxConcurrent, maxWaitMs }: UpdateLimits): Middleware {
  let underWay = 0
  // Who is slow to send holds a place, and says nothing of how fast we are.
  const pace = openWaitEstimator()
  return async (ctx, next) => {
    // What git clients post is counted where git is run.
    if (reading.has(ctx.method) || isGitPath(ctx.path)) return await next()
    const wait = pace.expectedWaitMs()
    if (underWay >= maxConcurrent)
      throw refusal(
        `${maxConcurrent} updates are under way, and no more are taken at once. Try again in a moment.`,
        wait,
      )
    // As a server begins, or its disk stands still for a moment, little is done in a second: that alone says nothing.
    if (wait > maxWaitMs && pace.oldestWaitMs() > maxWaitMs / 2)
      throw refusal(`Updates have to wait for ${Math.ceil(wait / 1000)} s, longer than they may.`, wait)
    let done: (() => void) | undefined
    const came = () => {
      done = pace.enqueue()
    }
    ctx.req.once('end', came)
    underWay += 1
    try {
      await next()
    } finally {
      underWay -= 1
      ctx.req.off('end', came)
      done?.()
    }
  }
}

/** @param wait milliseconds those who are there wait for */
function refusal(reason: string, wait: number): ProblemError {
  return new ProblemError('unavailable', `${reason} Nothing of this one was stored; send it again.`, {
    retryAfter: Math.min(Math.max(1, Math.ceil(wait / 1000)), longestRetry),
  })
}

/** Seconds after which a client is told to try again at most. */
const longestRetry = 30
