import type { Context } from 'koa'
import { ProblemError, type ProblemKind } from '../../core/problem.js'
import { requestState } from '../request-state.js'

/*
 * If the catalog cannot be written, it lacks commits of the branch, which may contain a requested record. The response
 * is then neither "not found" nor an empty list, but 503. Records that are found are answered as usual.
 */

/** Problems of a missing record or page. */
const absences: ReadonlySet<ProblemKind> = new Set(['not-found', 'page-out-of-range'])

/** Whether the response says that there is no such record. A path without a route stays 404. */
export function reportsAbsence(ctx: Context, problem?: ProblemError): boolean {
  const isAbsent = problem
    ? absences.has(problem.kind)
    : ctx.status === 404 || String(ctx.res.getHeader('Content-Range') ?? '').startsWith('*/')
  return isAbsent && requestState(ctx).route !== undefined
}

/** The problem of the response in that case. */
export function catalogLags(): ProblemError {
  return new ProblemError(
    'unavailable',
    'The catalog lacks the newest commits, which may contain the record. Try again.',
    { retryAfter: 5 },
  )
}
