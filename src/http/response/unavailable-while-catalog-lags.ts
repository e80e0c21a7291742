import type { Context } from 'koa'
import { ProblemError, type ProblemKind } from '../../core/problem.js'
import { routeOf } from '../mounts.js'

/*
 * While the catalog lacks commits of the branch because it could not be written, nobody is told that there is no such record,
 * or that a list is empty: it may be in those commits. What is found is answered as usual.
 */

/** What says that there is none, or no more. */
const denials: ReadonlySet<ProblemKind> = new Set(['not-found', 'page-out-of-range'])

/** Whether an answer says that there is no such record; a path that is none of ours stays one. */
export function isDenied(ctx: Context, problem?: ProblemError): boolean {
  const denies = problem
    ? denials.has(problem.kind)
    : ctx.status === 404 || String(ctx.res.getHeader('Content-Range') ?? '').startsWith('*/')
  return denies && routeOf(ctx) !== undefined
}

/** What is said instead. */
export function uncertain(): ProblemError {
  return new ProblemError(
    'unavailable',
    'The catalog could not be brought up to the newest commits, so whether there is such a record cannot be told. Try again.',
    { retryAfter: 5 },
  )
}
