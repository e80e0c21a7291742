import type { Context } from 'koa'
import type { LongList } from '../../catalog/read/long-list-reader.js'
import type { BatchedRevision, RevisionExtras } from '../../catalog/read/revision-batch-reader.js'
import { type PointExpression, parsePoint, shortestPrefix } from '../../core/history-point.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { PageRequest } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { truncate, type Version } from '../../core/value-types.js'
import type { Services } from '../../service/services.js'
import type { CallerOf } from '../auth/identify-caller.js'
import { renderingKey } from '../rendering/rendering-key.js'
import { type ApiContext, apiRootUrl } from '../route-context.js'
import { singleParameter } from './query-parameters.js'
import { queryParameter } from './request-parameter.js'

/*
 * The parameter `at` of reads and lists: the point of history that is meant, in place of now.
 */

export const at = queryParameter(
  'at',
  {
    component: 'at',
    description: `The point of history that is meant, in place of now: a tag, a branch, a commit (its 40 hex digits or at least the first ${shortestPrefix}) or a time (ISO 8601; the last state that is not later). A list that names a commit stays the same from page to page while others write; the addresses in \`Link\` do. What may not be seen today is not seen at any point.`,
    schema: {
      type: 'string',
      minLength: 1,
      examples: ['2026-11-21T05:12:00Z', '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a', 'main'],
    },
  },
  (query, name) => {
    const text = singleParameter(query, name)
    return text === undefined ? undefined : parsePoint(text)
  },
)

/** What a request says of the version of a record that it asks for. */
export interface RequestedVersion {
  readonly version: Version | undefined
  readonly at: PointExpression | undefined
}

/**
 * The revision of a record a request asks for: of today, or as of the point `at`.
 * @param name as it stands in the address
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
 * The same with what is wanted along with it, where that is no detour.
 * @throws ProblemError as above
 */
export async function readRequestedItem(
  ctx: Context,
  api: { readonly services: Services; readonly callerOf: CallerOf },
  kind: Collection,
  name: string,
  { version, at }: RequestedVersion,
  along: RevisionExtras,
): Promise<BatchedRevision> {
  if (version === undefined && !at) return await api.services.readNewest(api.callerOf(ctx), kind, name, along)
  return { revision: await readRequestedRevision(ctx, api, kind, name, { version, at }) }
}

/**
 * The records of a short page that a request asks for: of today, or as of the point `at`.
 * @throws ProblemError `malformed-request`, `not-found`
 */
export async function readRequestedList(
  ctx: Context,
  { services, callerOf }: { readonly services: Services; readonly callerOf: CallerOf },
  kind: Collection,
  filters: ListQuery,
  cut: PageRequest,
  at: PointExpression | undefined,
): Promise<ListPage> {
  const page = await services.pages.list(callerOf(ctx), kind, filters, cut, '', at)
  const list = 'revisions' in page ? { ...page, items: page.revisions() } : page
  await readRecords(list.items)
  return list
}

/** Records are read when they are asked for: others have their turn between long ones. */
export async function readRecords(revisions: readonly Revision[]): Promise<void> {
  const pauses = openEventLoopPauses()
  for (const revision of revisions) {
    await pauses.ifDue()
    Reflect.get(revision, 'record')
  }
}

/**
 * What the entries of a page are: the records that pass filters, or the versions of one record as the request names it.
 */
export type PageEntries = { readonly filters: ListQuery } | { readonly versionsOf: string }

/**
 * The page that a request asks for; a long one is read and rendered in another thread.
 * @throws ProblemError `malformed-request`, `not-found`; `forbidden` for versions
 */
export function readRequestedPage(
  ctx: Context,
  api: ApiContext,
  kind: Collection,
  asked: PageEntries,
  cut: PageRequest,
  at: PointExpression | undefined,
): Promise<ListPage | LongList> {
  const { services, callerOf, slices } = api
  const { pages } = services
  const as = renderingKey(api.recordFormat, apiRootUrl(api, ctx))
  return slices.run(() => {
    const caller = callerOf(ctx)
    return 'versionsOf' in asked
      ? pages.versions(caller, kind, asked.versionsOf, cut, as, at)
      : pages.list(caller, kind, asked.filters, cut, as, at)
  })
}

/**
 * The list of a record's versions a request asks for.
 * @param name as the request has it
 * @throws ProblemError `malformed-request`, `not-found`, `forbidden`
 */
export async function readRequestedVersions(
  ctx: Context,
  { services, callerOf }: { readonly services: Services; readonly callerOf: CallerOf },
  kind: Collection,
  name: string,
  cut: PageRequest,
  at: PointExpression | undefined,
): Promise<ListPage> {
  const caller = callerOf(ctx)
  const wanted = at ? { ...cut, at: await services.past.find(caller, at) } : cut
  return services.collections[kind].versions(caller, name, wanted)
}

/**
 * Refuses a point of history where a route has none, rather than ignoring it.
 * @throws ProblemError `malformed-request`
 */
export function refuseAt(ctx: Context, route: { readonly changes: boolean }): void {
  if (ctx.query.at === undefined) return
  throw new ProblemError(
    'malformed-request',
    route.changes
      ? 'The past cannot be changed: send the change without the parameter at. To bring a former state back, read it with at and send it as a change of today.'
      : `What is at ${truncate(ctx.path, 200)} is of now alone: ask without the parameter at. Records, documents, and the lists and pages of them have a past.`,
  )
}
