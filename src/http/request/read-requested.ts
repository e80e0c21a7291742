import type { Context } from 'koa'
import type { LongList } from '../../catalog/read/long-list-reader.js'
import type { BatchedRevision, RevisionExtras } from '../../catalog/read/revision-batch-reader.js'
import type { PointExpression } from '../../core/history-point.js'
import type { Collection } from '../../core/records/collection.js'
import type { PageRequest } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import type { Version } from '../../core/value-types.js'
import { renderingKey } from '../rendering/rendered-record.js'
import { type ApiContext, apiRootUrl } from '../route-context.js'

/*
 * Reads what a request names: a record or a page, of today or at the point `at`.
 */

type ReadContext = Pick<ApiContext, 'services' | 'callerOf'>

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
  { services, callerOf }: ReadContext,
  kind: Collection,
  name: string,
  { version, at }: RequestedVersion,
): Revision | Promise<Revision> {
  const caller = callerOf(ctx)
  if (at) return services.past.read(caller, kind, name, at, version)
  return services.collections[kind].read(caller, name, version)
}

/**
 * As {@link readRequestedRevision}. Today's newest version comes with the extras, which that read returns at no cost.
 * @throws ProblemError `malformed-request`, `not-found`, `forbidden`
 */
export async function readRequestedItem(
  ctx: Context,
  api: ReadContext,
  kind: Collection,
  name: string,
  { version, at }: RequestedVersion,
  extras: RevisionExtras,
): Promise<BatchedRevision> {
  if (version === undefined && !at)
    return await api.services.readNewest(api.callerOf(ctx), kind, name, extras)
  return { revision: await readRequestedRevision(ctx, api, kind, name, { version, at }) }
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
