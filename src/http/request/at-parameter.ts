import type { ParsedUrlQuery } from 'node:querystring'
import type { Context, Middleware } from 'koa'
import type { LongList } from '../../catalog/read/long-list-reader.js'
import type { BatchedRevision, RevisionExtras } from '../../catalog/read/revision-batch-reader.js'
import { type PointExpression, parsePoint } from '../../core/history-point.js'
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
import { singleParameter, versionParameter } from './query-parameters.js'

/*
 * The parameter `at` of reads and lists: the point of history that is meant, in place of now.
 */

/** @throws ProblemError `malformed-request` */
export function atParameter(query: ParsedUrlQuery): PointExpression | undefined {
  const text = singleParameter(query, 'at')
  return text === undefined ? undefined : parsePoint(text)
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
  version: Version | undefined,
): Revision | Promise<Revision> {
  const at = atParameter(ctx.query)
  const caller = callerOf(ctx)
  if (at) return services.past.read(caller, kind, name, at, version)
  return (kind === 'schema' ? services.schemas : services.metadata).read(caller, name, version)
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
  along: RevisionExtras,
): Promise<BatchedRevision> {
  const version = versionParameter(ctx.query)
  if (version === undefined && !atParameter(ctx.query))
    return await api.services.readNewest(api.callerOf(ctx), kind, name, along)
  return { revision: await readRequestedRevision(ctx, api, kind, name, version) }
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
): Promise<ListPage> {
  const page = await services.pages.list(callerOf(ctx), kind, filters, cut, '', atParameter(ctx.query))
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

/** What the entries of a page are: the records that pass filters, or the versions of one record as the request names it. */
export type PageOf = { readonly filters: ListQuery } | { readonly versionsOf: string }

/**
 * The page that a request asks for; a long one is read and rendered in another thread.
 * @throws ProblemError `malformed-request`, `not-found`; `forbidden` for versions
 */
export function pageAsked(
  ctx: Context,
  api: ApiContext,
  kind: Collection,
  asked: PageOf,
  cut: PageRequest,
): Promise<ListPage | LongList> {
  const { services, callerOf, slices } = api
  const { pages } = services
  const as = renderingKey(api.wire, apiRootUrl(api, ctx))
  return slices.take(() => {
    const [caller, at] = [callerOf(ctx), atParameter(ctx.query)]
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
): Promise<ListPage> {
  const at = atParameter(ctx.query)
  const caller = callerOf(ctx)
  const records = kind === 'schema' ? services.schemas : services.metadata
  return records.versions(caller, name, at ? { ...cut, at: await services.past.find(caller, at) } : cut)
}

/** For what is told of now alone: a point of history is refused rather than ignored. */
export const refuseAtOnCurrentOnly: Middleware = (ctx, next) => {
  if (ctx.query.at === undefined) return next()
  throw new ProblemError(
    'malformed-request',
    `What is at ${truncate(ctx.path, 200)} is of now alone: ask without the parameter at. Records, documents, and the lists and pages of them have a past.`,
  )
}

/** Refuses a change that names a point of history. @throws ProblemError `malformed-request` */
export function refuseAtOnChange(query: ParsedUrlQuery): void {
  if (query.at === undefined) return
  throw new ProblemError(
    'malformed-request',
    'The past cannot be changed: send the change without the parameter at. To bring a former state back, read it with at and send it as a change of today.',
  )
}
