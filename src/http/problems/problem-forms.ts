import type { Context, Middleware } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { requestState } from '../request-state.js'
import { setSecurityHeaders } from '../security-headers.js'
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
      removeHeadersOfResult(ctx)
      form.answer(ctx, problem, context)
      requestState(ctx).answeredProblem = problem
    }
  }
}

/**
 * Removes the headers that a handler has set for its result, before a problem is answered in its place: they would
 * describe the problem (RFC 9110 §8).
 */
export function removeHeadersOfResult(ctx: Context): void {
  for (const name of Object.keys(ctx.response.headers)) if (!isOfEveryAnswer(name)) ctx.remove(name)
  setSecurityHeaders(ctx.res)
}

/** Whether a header does not depend on the result: it is about the request, the client or the connection. */
function isOfEveryAnswer(name: string): boolean {
  return /^(?:x-request-id|vary|access-control-.*|ratelimit.*|preference-applied|connection)$/.test(name)
}
