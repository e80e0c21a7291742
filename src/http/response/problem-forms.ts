import type { Context, Middleware } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { requestState } from '../request-state.js'
import { type IsBehind, problemDespiteLag } from './catalog-lag.js'

/**
 * Opens middleware that answers problems in another form than problem details.
 * @param isFor whether the client of the request gets this form
 */
export function answerProblems(
  isBehind: IsBehind,
  isFor: (ctx: Context) => boolean,
  answer: (ctx: Context, problem: ProblemError) => void,
): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (!(error instanceof ProblemError) || !isFor(ctx)) throw error
      const problem = problemDespiteLag(ctx, error, isBehind)
      answer(ctx, problem)
      requestState(ctx).answeredProblem = problem
    }
  }
}
