import type { Context } from 'koa'
import { ProblemError, type ProblemKind } from '../../core/problem.js'
import { requestState } from '../request-state.js'

/*
 * If the catalog cannot be written, it lacks commits of the branch, which may contain a requested record. A response
 * that would be "not found" or an empty list is then 503 instead. Records that are found are answered as usual.
 */

/** Whether the catalog may lack commits. */
export type IsBehind = () => boolean

/** Problems of a missing record or page. */
const absences: ReadonlySet<ProblemKind> = new Set(['not-found', 'page-out-of-range'])

/** The given problem, or `unavailable` in its place if the catalog may lack what is missing. */
export function problemDuringLag(ctx: Context, problem: ProblemError, isBehind: IsBehind): ProblemError {
  return isBehind() && absences.has(problem.kind) && hasRoute(ctx) ? catalogLags() : problem
}

/**
 * Refuses to answer that something is missing while the catalog is behind the branch.
 * @throws ProblemError `unavailable` if the catalog may lack what is missing
 */
export function refuseAbsenceDuringLag(ctx: Context, isBehind: IsBehind): void {
  if (isBehind() && hasRoute(ctx)) throw catalogLags()
}

/** Whether a route exists for the request: without one, the response stays 404 whatever the catalog lacks. */
function hasRoute(ctx: Context): boolean {
  return requestState(ctx).route !== undefined
}

function catalogLags(): ProblemError {
  return new ProblemError(
    'unavailable',
    'The catalog lacks the newest commits, which may contain the record. Try again.',
    { retryAfter: 5 },
  )
}
