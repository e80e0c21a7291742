import type { Context } from 'koa'
import { ProblemError, type ProblemKind } from '../../core/problem.js'
import { requestState } from '../request-state.js'

/*
 * While the catalog could not be written and lacks commits of the branch, no request is answered with "there is no such
 * record" or an empty list: those commits may have the record. What is found is answered as usual.
 */

/** Problems that say that there is no record, or no more of them. */
const denials: ReadonlySet<ProblemKind> = new Set(['not-found', 'page-out-of-range'])

/** Whether the response says that there is no such record. A path without a route stays "not found". */
export function isDenied(ctx: Context, problem?: ProblemError): boolean {
  const denies = problem
    ? denials.has(problem.kind)
    : ctx.status === 404 || String(ctx.res.getHeader('Content-Range') ?? '').startsWith('*/')
  return denies && requestState(ctx).route !== undefined
}

/** The problem that is answered instead. */
export function uncertain(): ProblemError {
  return new ProblemError(
    'unavailable',
    'The catalog could not be brought up to the newest commits, so whether there is such a record cannot be told. Try again.',
    { retryAfter: 5 },
  )
}
