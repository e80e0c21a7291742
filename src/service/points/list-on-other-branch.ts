import { defaultSort } from '../../catalog/lists/list-sql.js'
import type { UnservedPointReader } from '../../catalog/other-branches/point-reader.js'
import type { Principal } from '../../core/access-control.js'
import { prefixLength } from '../../core/data-structures/binary-search.js'
import type { UnservedPoint } from '../../core/history-point.js'
import type { Collection } from '../../core/records/collection.js'
import { passesFilters } from '../../core/records/list-filters.js'
import type { ListCursor, PageRequest } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { BeginWork } from '../../core/scheduling/client-work.js'
import { isReadable } from '../rules/visibility.js'

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
export async function listAtUnservedPoint(
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
