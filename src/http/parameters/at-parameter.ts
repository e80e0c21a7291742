import type { Context } from 'koa'
import { parsePoint, shortestPrefix } from '../../core/history-point.js'
import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import type { Method } from '../openapi/specification-types.js'
import { exampleCommit } from '../openapi/value-schemas.js'
import { parsedBy } from './query-parameters.js'
import { queryParameter } from './request-parameter.js'

/*
 * The parameter `at` of reads and lists: the point of history whose state is read.
 */

export const at = queryParameter(
  'at',
  {
    component: 'at',
    description: `The point of history whose state is read: a tag, a branch, a commit (its 40 hex digits or at least the first ${shortestPrefix}) or a time (ISO 8601; the last state that is not later). Absent: the newest state. A list with a commit has the same pages while others write; the addresses in \`Link\` have one. Records that the caller may not read today are absent at every point.`,
    schema: {
      type: 'string',
      minLength: 1,
      examples: ['2026-11-21T05:12:00Z', exampleCommit, 'main'],
    },
  },
  parsedBy(parsePoint),
)

/**
 * Refuses `at` on a route without a history, where it would otherwise be ignored.
 * @throws ProblemError `malformed-request`
 */
export function refuseAt(ctx: Context, route: { readonly method: Method; readonly isSearch?: true }): void {
  if (ctx.query.at === undefined) return
  if (route.isSearch)
    throw malformedRequest(
      'This search is of the newest state only: send it without the parameter at. A search by GET, such as GET /api/v1/search, takes at.',
    )
  throw malformedRequest(
    route.method !== 'get'
      ? 'The past cannot be changed: send the change without the parameter at. To restore a former state, read it with at and send it as a new change.'
      : `${truncate(ctx.path, 200)} has only a current state: send the request without the parameter at. Records, documents, and their lists and pages have a history.`,
  )
}
