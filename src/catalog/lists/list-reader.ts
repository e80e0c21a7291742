import { isPlain } from '../../core/plain-mode.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { ListCursor, PageRequest } from '../../core/records/list-page.js'
import type { ListQuery } from '../../core/records/list-query.js'
import { type Oid, toInstant } from '../../core/value-types.js'
import type { Connection, SqlRow } from '../database/sqlite-connection.js'
import type { PointInTimeTables } from '../point-in-time/point-in-time.js'
import type { AnchorScan } from './anchor-scan.js'
import {
  addAnchor,
  anchorWithKey,
  type KnownList,
  nearestAnchor,
  noKnownLists,
  type OrderedList,
  openKnownLists,
  unknownList,
} from './known-lists.js'
import { maxComparedChanges } from './list-delta.js'
import {
  type AccessPath,
  changedSince,
  currentList,
  type KeyOrder,
  type ListSource,
  lastVisibleCommitSql,
  orderOf,
  pastList,
  totalSql,
  unchangedSince,
} from './list-sql.js'
import { hasKnownTotal, type ListStatistics, openListStatistics } from './list-statistics.js'
import { anchorDistance, type Entry, keyIn, openPageFinder } from './page-finder.js'

export interface ListReader {
  /**
   * Reads a page of a list.
   * @param remember false in a transaction of the writer, because later calls must not see uncommitted rows
   * @param read reads revisions by their row numbers: all, or the first ones that fit into the page
   * @returns what `read` returned, and the other members of a `ListPage`
   * @throws ProblemError `not-found`, `malformed-request`
   */
  list<T>(
    kind: Collection,
    query: ListQuery,
    window: PageRequest,
    remember: boolean,
    read: (revs: readonly number[]) => readonly T[],
  ): {
    readonly items: readonly T[]
    readonly offset: number
    readonly total: number
    readonly commit?: Oid
    readonly next?: ListCursor
  }
  /**
   * Says whether a page of the current list can be found by reading few entries: the list is short, or it begins near
   * the start or near an anchor, and the total is known.
   */
  isNear(kind: Collection, query: ListQuery, window: PageRequest): boolean
  /** Says whether anchors lead to all deep pages of the list, and are likely to do so after the next updates. */
  hasAnchors(kind: Collection, query: ListQuery): boolean
  /** Adds anchors of a list. They are brought up to date when the list is requested. */
  addAnchors(kind: Collection, query: ListQuery, scan: AnchorScan): void
}

export function openListReader(connection: Connection, snapshots: PointInTimeTables): ListReader {
  const known = isPlain ? noKnownLists : openKnownLists(connection)
  const statistics = openListStatistics(connection)
  const { count, entriesOf, anchorAt, anchorBefore } = openPageFinder(connection)
  const state = connection.prepare<readonly [head: string | null, identity: string]>(
    'SELECT head, identity FROM state',
  )
  const newestRevision = connection.prepare<readonly [rev: number]>(
    'SELECT coalesce(max(rev), 0) FROM revision',
  )

  /** The number of entries of a list at a point of history, or now. */
  function totalOf({ kind, query, past }: OrderedList, current: ListSource): number {
    const total = statistics.total(kind, query) ?? count(totalSql(current))
    if (past === undefined) return total
    return (
      total - count(totalSql(changedSince(past, kind, query))) + count(totalSql(pastList(past, kind, query)))
    )
  }

  /**
   * The last commit, up to a revision, that changed a record which the caller sees. That commit names the caller's
   * list, which has not changed since. Later commits must not be revealed.
   */
  function lastVisibleCommit(memory: KnownList, query: ListQuery, access: AccessPath, upTo: number) {
    if (memory.commit === undefined) {
      const { sql, values } = lastVisibleCommitSql(upTo, query, access)
      const row = connection.prepare<readonly [oid: string]>(sql).get(...values)
      memory.commit = (row?.[0] ?? null) as Oid | null
    }
    return memory.commit ?? undefined
  }

  function list<T>(
    kind: Collection,
    query: ListQuery,
    window: PageRequest,
    remember: boolean,
    read: (revs: readonly number[]) => readonly T[],
  ) {
    const [head, identity] = state.get() ?? [null, '']
    const upTo = window.at && snapshots.revisionAt(window.at)
    const past = upTo !== undefined && snapshots.prepare(upTo, identity) ? upTo : undefined
    const order = orderOf(kind, query.sort)
    const latest = newestRevision.get()?.[0] ?? 0
    const ordered = { kind, query, order, past }
    const memory = remember ? known.get(identity, latest, ordered) : unknownList(latest)

    memory.access ??= statistics.accessPath(kind, query, order)
    const { access } = memory
    const current = currentList(kind, query, access)
    const parts =
      past === undefined ? [current] : [unchangedSince(past, current), pastList(past, kind, query)]
    const wanted = { offset: window.offset, limit: window.limit }
    // A first page that is not full has all entries: counting them would cost as much again.
    const firstPage =
      memory.total === undefined && wanted.offset === 0 && !window.after && !hasKnownTotal(kind, query)
        ? entriesOf(parts, order, wanted, anchorBefore(memory, parts, order, 0))
        : []
    memory.total ??=
      0 < firstPage.length && firstPage.length < wanted.limit ? firstPage.length : totalOf(ordered, current)
    const { total } = memory
    const commit = query.readableBy
      ? lastVisibleCommit(memory, query, access, upTo ?? latest)
      : (window.at?.commit ?? (head as Oid | null) ?? undefined)
    const about = { total, ...(commit && { commit }) }

    const begin = window.after && anchorAt(memory, parts, order, keyOf(window.after, order))
    const offset = begin?.offset ?? window.offset
    if (offset >= total || window.limit === 0) return { items: [], offset, ...about }
    const entries =
      firstPage.length > 0
        ? firstPage
        : entriesOf(parts, order, { ...wanted, offset }, begin ?? anchorBefore(memory, parts, order, offset))
    const items = read(entries.map(([rev]) => rev))
    const end = offset + items.length
    const last = entries[items.length - 1]
    if (last) addAnchor(memory, { offset: end, key: keyIn(last, order) })
    return { items, offset, ...about, ...(last && end < total && { next: cursorAfter(last, order) }) }
  }

  return {
    list,
    ...openAnchors(
      known,
      statistics,
      () => state.get()?.[1] ?? '',
      () => newestRevision.get()?.[0] ?? 0,
    ),
  }
}

/**
 * The functions of a {@link ListReader} that ask for anchors and add them.
 * @param identity returns the identity of the catalog's build
 * @param newest returns the number of the newest revision
 */
function openAnchors(
  known: ReturnType<typeof openKnownLists>,
  statistics: ListStatistics,
  identity: () => string,
  newest: () => number,
): Pick<ListReader, 'isNear' | 'hasAnchors' | 'addAnchors'> {
  const currentOf = (kind: Collection, query: ListQuery): OrderedList => {
    return { kind, query, order: orderOf(kind, query.sort), past: undefined }
  }

  return {
    isNear(kind, query, { offset, after }) {
      if (!hasKnownTotal(kind, query)) return statistics.isShort(kind, query)
      if (!after && offset < anchorDistance) return true
      const current = currentOf(kind, query)
      const anchors = known.peek(identity(), current)?.anchors
      if (!anchors) return false
      if (!after) return offset - (nearestAnchor(anchors, offset)?.offset ?? 0) <= anchorDistance
      return anchorWithKey(anchors, keyOf(after, current.order)) !== undefined
    },
    hasAnchors(kind, query) {
      const found = known.peek(identity(), currentOf(kind, query))
      if (!found) return false
      // The anchors are dropped after more changes than `maxComparedChanges`.
      const isClose = newest() - found.upTo <= maxComparedChanges / 2
      return isClose && found.anchors.length >= Math.floor((found.total ?? 0) / anchorDistance) - 1
    },
    addAnchors(kind, query, { identity: build, upTo, anchors }) {
      known.set(build, currentOf(kind, query), { ...unknownList(upTo), anchors: [...anchors] })
    },
  }
}

function keyOf({ id, time }: ListCursor, { columns }: KeyOrder): SqlRow {
  return columns.map(column => {
    if (column === 'id') return id
    if (time !== undefined) return -time
    throw new ProblemError(
      'malformed-request',
      'The parameter after has no time, but the list is ordered by lastUpdate: write it as <lastUpdate>,<id>.',
    )
  })
}

function cursorAfter([, id, age]: Entry, { columns }: KeyOrder): ListCursor {
  return columns.includes('age') ? { id, time: toInstant(-age) } : { id }
}
