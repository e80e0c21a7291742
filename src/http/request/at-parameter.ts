import type { Context } from 'koa'
import type { LongList } from '../../catalog/read/long-list-reader.js'
import type { BatchedRevision, RevisionExtras } from '../../catalog/read/revision-batch-reader.js'
import { type PointExpression, parsePoint, shortestPrefix } from '../../core/history-point.js'
import { malformedRequest } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { PageRequest } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { truncate, type Version } from '../../core/value-types.js'
import type { Services } from '../../service/services.js'
import type { CallerOf } from '../auth/identify-caller.js'
import { exampleCommit } from '../openapi/value-schemas.js'
import { renderingKey } from '../rendering/rendering-key.js'
import { type ApiContext, apiRootUrl } from '../route-context.js'
import { singleParameter } from './query-parameters.js'
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
  (query, name) => {
    const text = singleParameter(query, name)
    return text === undefined ? undefined : parsePoint(text)
  },
)

/** The version of a record that a request names. */
export interface RequestedVersion {
  readonly version: Version | undefined
  readonly at: PointExpression | undefined
}

/**
 * The requested revision of a record: today's, or the one at the point `at`.
 * @param name id or another name, as in the path
 * @throws ProblemError `malformed-request`, `not-found`, `forbidden`
 */
export function readRequestedRevision(
  ctx: Context,
  { services, callerOf }: { readonly services: Services; readonly callerOf: CallerOf },
  kind: Collection,
  name: string,
  { version, at }: RequestedVersion,
): Revision | Promise<Revision> {
  const caller = callerOf(ctx)
  if (at) return services.past.read(caller, kind, name, at, version)
  return services.collections[kind].read(caller, name, version)
}

/**
 * As {@link readRequestedRevision}, with the extras that the same read returns at no cost.
 * @throws ProblemError `malformed-request`, `not-found`, `forbidden`
 */
export async function readRequestedItem(
  ctx: Context,
  api: { readonly services: Services; readonly callerOf: CallerOf },
  kind: Collection,
  name: string,
  { version, at }: RequestedVersion,
  extras: RevisionExtras,
): Promise<BatchedRevision> {
  if (version === undefined && !at)
    return await api.services.readNewest(api.callerOf(ctx), kind, name, extras)
  return { revision: await readRequestedRevision(ctx, api, kind, name, { version, at }) }
}

/**
 * The records of a requested short page: today's, or those at the point `at`.
 * @throws ProblemError `malformed-request`, `not-found`
 */
export async function readRequestedList(
  ctx: Context,
  { services, callerOf }: { readonly services: Services; readonly callerOf: CallerOf },
  kind: Collection,
  filters: ListQuery,
  window: PageRequest,
  at: PointExpression | undefined,
): Promise<ListPage> {
  const page = await services.pages.list(callerOf(ctx), kind, filters, window, '', at)
  const list = 'revisions' in page ? { ...page, items: page.revisions() } : page
  await readRecords(list.items)
  return list
}

/** Reads the records of revisions, which load them on first access. Pauses for other requests between long ones. */
export async function readRecords(revisions: readonly Revision[]): Promise<void> {
  const pauses = openEventLoopPauses()
  for (const revision of revisions) {
    await pauses.ifDue()
    Reflect.get(revision, 'record')
  }
}

/** The entries of a page: the records that pass filters, or the versions of the record with this id or other name. */
export type PageEntries = { readonly filters: ListQuery } | { readonly versionsOf: string }

/**
 * The requested page. A long page is read and rendered in another thread.
 * @throws ProblemError `malformed-request`, `not-found`; `forbidden` for versions
 */
export function readRequestedPage(
  ctx: Context,
  api: ApiContext,
  kind: Collection,
  entries: PageEntries,
  window: PageRequest,
  at: PointExpression | undefined,
): Promise<ListPage | LongList> {
  const { services, callerOf, slices } = api
  const { pages } = services
  const as = renderingKey(api.recordFormat, apiRootUrl(api, ctx))
  return slices.run(() => {
    const caller = callerOf(ctx)
    return 'versionsOf' in entries
      ? pages.versions(caller, kind, entries.versionsOf, window, as, at)
      : pages.list(caller, kind, entries.filters, window, as, at)
  })
}

/**
 * A page of the versions of a record.
 * @param name id or another name, as in the path
 * @throws ProblemError `malformed-request`, `not-found`, `forbidden`
 */
export async function readRequestedVersions(
  ctx: Context,
  { services, callerOf }: { readonly services: Services; readonly callerOf: CallerOf },
  kind: Collection,
  name: string,
  window: PageRequest,
  at: PointExpression | undefined,
): Promise<ListPage> {
  const caller = callerOf(ctx)
  const wanted = at ? { ...window, at: await services.past.find(caller, at) } : window
  return services.collections[kind].versions(caller, name, wanted)
}

/**
 * Refuses `at` on a route without a history, where it would otherwise be ignored.
 * @throws ProblemError `malformed-request`
 */
export function refuseAt(ctx: Context, route: { readonly changes: boolean }): void {
  if (ctx.query.at === undefined) return
  throw malformedRequest(
    route.changes
      ? 'The past cannot be changed: send the change without the parameter at. To restore a former state, read it with at and send it as a new change.'
      : `${truncate(ctx.path, 200)} has only a current state: send the request without the parameter at. Records, documents, and their lists and pages have a history.`,
  )
}
