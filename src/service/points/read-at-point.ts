import { availableParallelism } from 'node:os'
import { defaultSort } from '../../catalog/lists/list-sql.js'
import type { UnservedPointReader } from '../../catalog/other-branches/point-reader.js'
import type { Principal } from '../../core/access-control.js'
import { prefixLength } from '../../core/data-structures/binary-search.js'
import type { HistoryPoint, PointExpression, UnservedPoint } from '../../core/history-point.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import { passesFilters } from '../../core/records/list-filters.js'
import type { ListCursor, PageRequest } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { openClientProcesses } from '../../core/scheduling/client-processes.js'
import type { BeginWork } from '../../core/scheduling/client-work.js'
import { type Id, isId, truncate, type Version } from '../../core/value-types.js'
import { findByName, findReadable, unknownVersion } from '../access/find-record.js'
import { restrictToVisibleByName } from '../access/visible-lists.js'
import { isReadable } from '../rules/record-rules.js'
import type { PointResolver } from './resolve-point.js'

/**
 * Records at points of history. Reading points outside the served history has limits: `unavailable` if too many
 * requests do so, or if it takes too long.
 */
export interface RecordsAtPoint {
  /**
   * The list of the records at the point that the caller may see today. Filters apply to the revisions at the point.
   * `schemaIds` may be any names of schemas.
   * @param window the wanted part of the list; its member `at` is not set
   * @returns the point itself if it is in the served history: {@link Pages} reads those lists from the catalog
   * @throws ProblemError `not-found`, `malformed-request`
   */
  list(
    caller: Principal,
    kind: Collection,
    query: ListQuery,
    window: PageRequest,
    at: PointExpression,
  ): Promise<ListPage | HistoryPoint>
  /**
   * A point of the served history.
   * @param advise the advice for a point outside of it; default: the one for a list of versions
   * @throws ProblemError `not-found`; `malformed-request` for a point outside the served history
   */
  find(caller: Principal, name: PointExpression, advise?: AdviseBase): Promise<HistoryPoint>
  /**
   * The newest revision of a record at the point, or of the given version. The names of the record and the permissions
   * on it are those of today. A record that is GONE today is not found, nor a REVOKED one that the caller may not see.
   * @throws ProblemError `not-found`, `forbidden`, `malformed-request`
   */
  read(
    caller: Principal,
    kind: Collection,
    name: string,
    at: PointExpression,
    version?: Version,
  ): Promise<Revision>
  /** A schema at a point, and the view of the records in which its references are resolved. */
  schema(
    caller: Principal,
    name: string,
    at: PointExpression,
    version?: Version,
  ): Promise<{ readonly schema: Revision; readonly state: CatalogQueries }>
}

/** Says what to do instead. @param base the commit where the branch with the point began */
type AdviseBase = (base: string) => string

const adviseForVersions: AdviseBase = base =>
  `There are no lists of versions there. Read single versions with the parameter version, or list the versions where the branch began with at=${base}.`

/** Limit of requests that read unserved points at once. Their results are cached. */
export const maxConcurrentReads = Math.max(4, 2 * availableParallelism())

/** Time limit of a request in milliseconds. */
const maxMilliseconds = 30_000

export interface RecordsAtPointOptions {
  readonly committed: CatalogQueries
  readonly points: PointResolver
  readonly unserved: UnservedPointReader
}

export function openRecordsAtPoint(options: RecordsAtPointOptions): RecordsAtPoint {
  const { committed, points, unserved } = options
  const slots = openClientProcesses({
    maxProcesses: maxConcurrentReads,
    maxMilliseconds,
    work: 'requests for points outside the served history',
    retryAfter: 2,
    lateProblem: tooSlowProblem,
  })
  /** Runs work that may read an unserved point, within the limits of number and time. */
  const inSlot = <T>(caller: Principal, work: (begin: BeginWork) => Promise<T>) =>
    slots.serve(caller.client, work)

  return {
    async read(caller, kind, name, at, version) {
      return await inSlot(caller, async begin =>
        readAt(options, caller, kind, name, await points.find(at, begin), version, begin),
      )
    },

    async list(caller, kind, query, window, at) {
      return await inSlot(caller, async begin => {
        const point = await points.find(at, begin)
        if ('commit' in point) return point
        const seen = restrictToVisibleByName(committed, caller, query)
        return await listAtUnservedPoint({ committed, unserved }, caller, kind, seen, window, point, begin)
      })
    },

    async find(caller, at, advise = adviseForVersions) {
      const point = await inSlot(caller, begin => points.find(at, begin))
      if ('commit' in point) return point
      throw malformedRequest(
        `"${truncate(at.text)}" is the commit ${point.unserved}, which is outside the served history. ${advise(point.base)}`,
      )
    },

    async schema(caller, name, at, version) {
      return await inSlot(caller, async begin => {
        const point = await points.find(at, begin)
        const schema = await readAt(options, caller, 'schema', name, point, version, begin)
        return { schema, state: 'commit' in point ? committed : await unserved.view(point, begin) }
      })
    },
  }
}

type PointSources = Pick<RecordsAtPointOptions, 'committed' | 'unserved'>

/** The id of the record with the name; undefined if there is none at the point that the caller may read. */
async function idAtUnservedPoint(
  { committed, unserved }: PointSources,
  caller: Principal,
  kind: Collection,
  name: string,
  point: UnservedPoint,
  begin: BeginWork,
): Promise<Id | undefined> {
  if (findByName(committed, kind, name)) return findReadable(committed, caller, kind, name).id
  if (committed.owner(name)?.gone) return undefined
  // A record that was never served has only its id as a name. Its own permissions apply.
  const fresh = isId(name) ? await unserved.read(point, kind, name, undefined, begin) : undefined
  return fresh && isReadable(caller, fresh.record) ? fresh.id : undefined
}

async function readAt(
  sources: PointSources,
  caller: Principal,
  kind: Collection,
  name: string,
  point: HistoryPoint | UnservedPoint,
  version: Version | undefined,
  begin: BeginWork,
): Promise<Revision> {
  const { committed, unserved } = sources
  if ('commit' in point) {
    const { id } = findReadable(committed, caller, kind, name)
    const found = committed.asOf(kind, id, point, version)
    if (found) return found
    if (version !== undefined && committed.unservedRevisions(kind, id, version).length > 0)
      throw unknownVersion(committed, { kind, id }, name, version)
    throw notAtPointProblem(kind, name, point.commit, version)
  }
  const id = await idAtUnservedPoint(sources, caller, kind, name, point, begin)
  const found = id && (await unserved.read(point, kind, id, version, begin))
  if (found) return found
  throw notAtPointProblem(kind, name, point.unserved, version)
}

function tooSlowProblem(): ProblemError {
  return new ProblemError(
    'unavailable',
    `Reading this point, which is outside the served history, takes more than ${maxMilliseconds / 1000} seconds. Try again later, or clone the repository.`,
    { retryAfter: 30 },
  )
}

function notAtPointProblem(
  kind: Collection,
  name: string,
  commit: string,
  version: Version | undefined,
): ProblemError {
  const what = `${kind === 'schema' ? 'schema' : 'metadata record'} "${truncate(name, 200)}"`
  const whole = version === undefined ? what : `version ${version} of the ${what}`
  return new ProblemError('not-found', `At the commit ${commit} there is no ${whole}.`)
}

/*
 * The list at an unserved point is the list at its base, where the branch left the served history, with two changes: of
 * records that the branch changed, the old revision leaves the list, and the new one enters it. Neither list is read as
 * a whole: the catalog counts the entries before each changed record.
 */

/** The order of a list. */
type Compare = (a: ListCursor, b: ListCursor) => number

/**
 * Newest revisions at the point, by the same rules as `CatalogQueries.list`.
 * @param query what the caller may see
 * @param begin called before the history is read
 * @throws ProblemError as `CatalogQueries.list`; errors of `begin`
 */
async function listAtUnservedPoint(
  { committed, unserved }: { readonly committed: CatalogQueries; readonly unserved: UnservedPointReader },
  caller: Principal,
  kind: Collection,
  query: ListQuery,
  window: PageRequest,
  point: UnservedPoint,
  begin: BeginWork,
): Promise<ListPage> {
  const at = { commit: point.base }
  const changed = await unserved.changed(point, kind, begin)
  const { placeOf, compare } = orderOf(kind, query)
  const listed = (revision: Revision | undefined) =>
    revision && maySee(committed, caller, revision) && passesFilters(query, revision) ? [revision] : []
  const inOrder = (revisions: readonly Revision[]) =>
    revisions.toSorted((a, b) => compare(placeOf(a), placeOf(b)))

  const leaving = inOrder(changed.flatMap(({ id }) => listed(committed.asOf(kind, id, at))))
  const entering = inOrder(changed.flatMap(({ newest }) => listed(newest)))
  /** Number of entries of the base list up to a position, which is included. */
  const rank = (after: ListCursor) => committed.list(kind, query, { offset: 0, limit: 0, at, after }).offset
  const upTo = (revisions: readonly Revision[], place: ListCursor) =>
    prefixLength(revisions, revision => compare(placeOf(revision), place) <= 0)

  const { total: before } = committed.list(kind, query, { offset: 0, limit: 0, at })
  const total = before - leaving.length + entering.length
  const offset = window.after
    ? rank(window.after) - upTo(leaving, window.after) + upTo(entering, window.after)
    : window.offset
  /** Number of entering records before a position of the result. */
  const enteredBefore = (position: number) =>
    prefixLength(entering, (revision, number) => {
      const place = placeOf(revision)
      return rank(place) - upTo(leaving, place) + number < position
    })
  /** Number of leaving records before an entry that stays. */
  const leftBefore = (stayed: number) =>
    prefixLength(leaving, (revision, number) => rank(placeOf(revision)) - 1 - number <= stayed)

  const [from, to] = [enteredBefore(offset), enteredBefore(offset + window.limit)]
  const first = offset - from
  const wanted = window.limit - (to - from)
  const skipped = leftBefore(first)
  const among = leftBefore(first + wanted - 1) - skipped
  const leavingIds = new Set(leaving.map(({ id }) => id))
  const stayed =
    wanted > 0
      ? committed
          .list(kind, query, { offset: first + skipped, limit: wanted + Math.max(0, among), at })
          .items.filter(({ id }) => !leavingIds.has(id))
      : []
  const items = inOrder([...stayed.slice(0, wanted), ...entering.slice(from, to)])
  const last = items.at(-1)
  return {
    items,
    offset,
    limit: window.limit,
    total,
    commit: point.unserved,
    ...(window.after && { continued: true }),
    ...(last && offset + items.length < total && { next: placeOf(last) }),
  }
}

/** Whether a caller may see a record: by its newest served revision, or, if it was never served, by this revision. */
function maySee(committed: CatalogQueries, caller: Principal, { kind, id, record }: Revision): boolean {
  const today = committed.newest(kind, id)
  if (!today && committed.owner(id)?.gone) return false
  return isReadable(caller, (today ?? { record }).record)
}

function orderOf(
  kind: Collection,
  { sort }: ListQuery,
): { readonly placeOf: (revision: Revision) => ListCursor; readonly compare: Compare } {
  const { by, direction } = sort ?? defaultSort[kind]
  const byId: Compare = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  if (by === 'id') {
    return { placeOf: ({ id }) => ({ id }), compare: direction === 'asc' ? byId : (a, b) => byId(b, a) }
  }
  const newestFirst: Compare = (a, b) => (b.time ?? 0) - (a.time ?? 0) || byId(a, b)
  return {
    placeOf: ({ id, time }) => ({ id, time }),
    compare: direction === 'desc' ? newestFirst : (a, b) => newestFirst(b, a),
  }
}
