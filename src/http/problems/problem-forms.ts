import type { Context, Middleware } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { requestState } from '../request-state.js'
import { type IsBehind, problemDuringLag } from './catalog-lag.js'

/** Another form of problems than problem details, for some clients. @typeParam C context of the handlers of a route */
export interface ProblemForm<C> {
  /** The request header that tells which clients get this form. */
  readonly header: 'Accept' | 'User-Agent'
  /** Whether the client of the request gets this form. */
  isFor(ctx: Context): boolean
  answer(ctx: Context, problem: ProblemError, context: C): void
}

/** Opens middleware that answers problems in this form. */
export function answerProblems<C>(form: ProblemForm<C>, context: C, isBehind: IsBehind): Middleware {
  return async (ctx, next) => {
    ctx.vary(form.header)
    try {
      await next()
    } catch (error) {
      if (!(error instanceof ProblemError) || !form.isFor(ctx)) throw error
      const problem = problemDuringLag(ctx, error, isBehind)
      form.answer(ctx, problem, context)
      requestState(ctx).answeredProblem = problem
    }
  }
}
