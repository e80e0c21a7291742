import type { Middleware } from 'koa'
import { ProblemError } from '../core/problem.js'
import { isForGit } from './auth/challenge.js'

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses updates beyond so many that are under way: what is waited for longer than clients wait is done for nobody,
 * and each holds its body in memory.
 */
export function limitUpdates(most: number): Middleware {
  let underWay = 0
  return (ctx, next) => {
    // What git clients post is counted where git is run.
    if (reading.has(ctx.method) || isForGit(ctx.path)) return next()
    if (underWay >= most) {
      throw new ProblemError(
        'unavailable',
        `${most} updates are under way, as many as may. Nothing of this one was stored; send it again.`,
        { retryAfter: 1 },
      )
    }
    underWay += 1
    return next().finally(() => {
      underWay -= 1
    })
  }
}
