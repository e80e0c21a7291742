import { LRUCache } from 'lru-cache'
import { isPlain } from '../../core/plain-mode.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { ListCursor, PageRequest, PageWindow } from '../../core/records/list-page.js'
import type { ListQuery } from '../../core/records/list-query.js'
import { type Oid, toInstant } from '../../core/value-types.js'
import type { Connection, SqlRow } from '../database/sqlite-connection.js'
import type { PointInTimeTables } from '../point-in-time/point-in-time.js'
import {
  type AccessPath,
  changedSince,
  currentList,
  type KeyOrder,
  type ListSource,
  lastVisibleCommitSql,
  orderOf,
  pageSql,
  pastList,
  rankSql,
  totalSql,
  unchangedSince,
} from './list-sql.js'
import { hasKnownTotal, type ListStatistics, openListStatistics } from './list-statistics.js'

export interface ListReader {
  /**
   * Reads a page of a list.
   * @param remember false in a transaction of the writer, because later calls must not see uncommitted rows
   * @param read reads revisions by their row numbers: all, or the first ones that fit into the page. It also gets the
   *   identity of the build of the catalog
   * @returns what `read` returned, and the other members of a `ListPage`
   * @throws ProblemError `not-found`, `malformed-request`
   */
  list<T>(
    kind: Collection,
    query: ListQuery,
    window: PageRequest,
    remember: boolean,
    read: (revs: readonly number[], identity: string) => readonly T[],
  ): {
    readonly items: readonly T[]
    readonly offset: number
    readonly total: number
    readonly commit?: Oid
    readonly next?: ListCursor
  }
  /**
   * Says whether a page of the current list can be found by reading few entries: the list is short, or its total is
   * known and the page is near one of its ends, or follows a page that this reader has read.
   */
  isNear(kind: Collection, query: ListQuery, window: PageRequest): boolean
}

/** A row of {@link pageSql}. */
type Entry = readonly [rev: number, id: string, age: number]

/** A list at a point of history, of which a page is a part. */
interface OrderedList {
  readonly kind: Collection
  readonly query: ListQuery
  readonly order: KeyOrder
  /** Text with everything that determines the list: names of other lists differ. */
  readonly name: string
  /** Number of the newest revision. */
  readonly latest: number
  /** Number of the last revision up to the point. */
  readonly upTo: number
  /** Whether there are revisions after the point. */
  readonly isPast: boolean
}

/** Limit of the entries that are skipped in the main thread to find a page. */
const maxSkipped = 1024

/**
 * Opens the reader of lists. A page that follows another one is found by its key. A page by number is found by skipping
 * entries of a covering index from the nearer end of the list, never rows of a table.
 * @see docs/decisions/016-pages-by-number-skip-entries.md
 */
export function openListReader(connection: Connection, points: PointInTimeTables): ListReader {
  const statistics = openListStatistics(connection)
  const counted = isPlain ? undefined : openCountedNumbers(connection)
  const { totalOf, offsetAfter, entriesAfter, entriesAt } = openPageFinder(connection, statistics)
  const state = connection.prepare<readonly [head: Oid | null, identity: string, latest: number]>(
    'SELECT head, identity, (SELECT coalesce(max(rev), 0) FROM revision) FROM state',
  )

  /**
   * The last commit, up to the point, that changed a record which the caller sees. That commit names the caller's list,
   * which has not changed since. Later commits must not be revealed.
   */
  function lastVisibleCommit({ query, upTo }: OrderedList, access: AccessPath): Oid | undefined {
    const { sql, values } = lastVisibleCommitSql(upTo, query, access)
    return connection.prepare<readonly [oid: string]>(sql).get(...values)?.[0] as Oid | undefined
  }

  /**
   * Finds out what is to be known of a list.
   * @param length number of its entries, if it is known
   */
  function describe(
    list: OrderedList,
    length: number | undefined,
    memory: CountedNumbers | undefined,
  ): DescribedList {
    const { kind, query, order, isPast } = list
    const access = statistics.accessPath(kind, query, order)
    const count = () => totalOf(list, access)
    const isKnown = !isPast && hasKnownTotal(query)
    const total = length ?? (isKnown ? count() : (memory?.number(list, undefined, count) ?? count()))
    const described = {
      access: isSortedById(list) ? statistics.accessPath(kind, query, order, total) : access,
      total,
      visibleCommit: query.readableBy && lastVisibleCommit(list, access),
    }
    memory?.setList(list, described)
    return described
  }

  return {
    list(kind, query, window, remember, read) {
      const [head, identity, latest] = state.get() ?? [null, '', 0]
      const upTo = window.at ? points.revisionAt(window.at) : latest
      const isPast = window.at !== undefined && points.prepare(upTo, identity)
      const order = orderOf(kind, query.sort)
      const name = nameOf(identity, upTo, kind, query)
      const list: OrderedList = { kind, query, order, name, latest, upTo, isPast }
      const memory = remember ? counted : undefined
      const { offset: start, limit, after } = window
      const key = after && keyOf(after, order)
      const known = memory?.list(list)
      // A first page that is not full has all entries: counting them would cost as much again.
      const first =
        known || key || start > 0 || isSortedById(list) || hasKnownTotal(query)
          ? undefined
          : entriesAt(list, statistics.accessPath(kind, query, order), { offset: 0, limit })
      const isAll = first && 0 < first.length && first.length < limit
      const { access, total, visibleCommit } =
        known ?? describe(list, isAll ? first.length : undefined, memory)
      const commit = query.readableBy ? visibleCommit : (window.at?.commit ?? head)
      const about = { total, ...(commit && { commit }) }

      const rank = (place: SqlRow) => () => offsetAfter(list, access, place)
      const offset = key ? (memory?.number(list, key, rank(key)) ?? rank(key)()) : start
      if (offset >= total || limit === 0) return { items: [], offset, ...about }
      const entries =
        first ??
        (key ? entriesAfter(list, access, key, limit) : entriesAt(list, access, { offset, limit }, total))
      const items = read(
        entries.map(([rev]) => rev),
        identity,
      )
      const end = offset + items.length
      const last = entries[items.length - 1]
      if (last) memory?.set(list, keyIn(last, order), end)
      return { items, offset, ...about, ...(last && end < total && { next: cursorAfter(last, order) }) }
    },

    isNear(kind, query, { offset, after, limit }) {
      if (!hasKnownTotal(query)) return statistics.isShort(query)
      if (!after && offset <= maxSkipped) return true
      if (!after) return (statistics.total(kind, query) ?? 0) - offset - limit <= maxSkipped
      const [, identity, latest] = state.get() ?? [null, '', 0]
      const order = orderOf(kind, query.sort)
      const name = nameOf(identity, latest, kind, query)
      const list = { kind, query, order, name, latest, upTo: latest, isPast: false }
      return counted?.get(list, keyOf(after, order)) !== undefined
    },
  }
}

/** Finds the entries of pages. */
function openPageFinder(connection: Connection, { count, total }: ListStatistics) {
  /** The disjoint parts of a list, each in its order. */
  function partsOf({ kind, query, upTo, isPast }: OrderedList, access: AccessPath): readonly ListSource[] {
    const current = currentList(kind, query, access)
    return isPast ? [unchangedSince(upTo, current), pastList(upTo, kind, query)] : [current]
  }

  function entriesOf(
    parts: readonly ListSource[],
    order: KeyOrder,
    window: PageWindow,
    after?: SqlRow,
  ): readonly Entry[] {
    const { sql, values } = pageSql(parts, order, window, after)
    return connection.prepare<Entry>(sql).all(...values)
  }

  return {
    /** The number of entries. */
    totalOf({ kind, query, upTo, isPast }: OrderedList, access: AccessPath): number {
      const today =
        total(kind, query) ?? count(totalSql(currentList(kind, query, { ...access, readsMany: true })))
      if (!isPast) return today
      const changed = count(totalSql(changedSince(upTo, kind, query)))
      return today - changed + count(totalSql(pastList(upTo, kind, query)))
    },

    /** The number of entries up to a key. */
    offsetAfter(list: OrderedList, access: AccessPath, key: SqlRow): number {
      const parts = partsOf(list, { ...access, readsMany: true })
      return parts.reduce((sum, part) => sum + count(rankSql(part, list.order, key)), 0)
    },

    entriesAfter: (list: OrderedList, access: AccessPath, key: SqlRow, limit: number) =>
      entriesOf(partsOf(list, access), list.order, { offset: 0, limit }, key),

    /** Entries by their position, read from the nearer end. @param total number of entries; default: unknown */
    entriesAt(
      list: OrderedList,
      access: AccessPath,
      { offset, limit }: PageWindow,
      total = Number.POSITIVE_INFINITY,
    ): readonly Entry[] {
      const length = Math.min(limit, total - offset)
      const behind = total - offset - length
      const isForward = offset <= behind
      const skipped = Math.min(offset, behind)
      const entries = entriesOf(
        partsOf(list, { ...access, readsMany: skipped > maxSkipped }),
        isForward ? list.order : { ...list.order, backwards: !list.order.backwards },
        { offset: skipped, limit: length },
      )
      return isForward ? entries : entries.toReversed()
    },
  }
}

/** @param identity of the build of the catalog, in which revision numbers are valid */
function nameOf(identity: string, upTo: number, kind: Collection, query: ListQuery): string {
  return JSON.stringify([identity, upTo, kind, query])
}

/** Whether the entries in a range of times are listed by id: all of them are sorted, or those by id are filtered. */
function isSortedById({ order, query }: OrderedList): boolean {
  return order.columns[0] === 'id' && (query.from ?? query.until) !== undefined
}

/** How to read a list, the number of its entries, and the commit that names it for a caller with limited rights. */
interface DescribedList {
  readonly access: AccessPath
  readonly total: number
  readonly visibleCommit: Oid | undefined
}

type CountedNumbers = ReturnType<typeof openCountedNumbers>

/** Limit of the remembered numbers. */
const maxNumbers = 1024
/** Limit of the lists that are known until the catalog changes. */
const maxLists = 64

/**
 * Remembers numbers that were counted in lists: of all entries, and of those before the end of a page. So a client that
 * follows the links of a list at a commit does not make the server count again on each page.
 *
 * Fast path. At 1,000,000 records, a page by cursor in the middle of a list takes 0.5 ms instead of 50 ms. Plain path:
 * counts each time.
 * @see docs/decisions/011-fast-paths.md
 */
function openCountedNumbers(connection: Connection) {
  const numbers = new LRUCache<string, { readonly latest: number; readonly number: number }>({
    max: maxNumbers,
  })
  const lists = new LRUCache<string, DescribedList & { readonly latest: number }>({ max: maxLists })
  // Later changes of a record that existed at the point change the number if the record is removed, returns after
  // removal, or, for callers who do not see all records, has other readers.
  const isChanged = connection.prepare<readonly [number]>(
    `SELECT 1 FROM revision r CROSS JOIN record c ON c.rid = r.rid
     WHERE r.rev > ?1 AND c.first <= ?2
       AND (?3 OR EXISTS (SELECT 1 FROM revision g WHERE g.rid = r.rid AND g.standing = 2)) LIMIT 1`,
  )
  const keyTo = ({ name }: OrderedList, what: SqlRow | undefined) =>
    what ? `${name} ${what.join(' ')}` : name

  function get(list: OrderedList, what: SqlRow | undefined): number | undefined {
    const found = numbers.get(keyTo(list, what))
    if (!found) return undefined
    if (found.latest === list.latest) return found.number
    return isChanged.get(found.latest, list.upTo, list.query.readableBy ? 1 : 0) ? undefined : found.number
  }
  function set(list: OrderedList, what: SqlRow | undefined, number: number): number {
    numbers.set(keyTo(list, what), { latest: list.latest, number })
    return number
  }
  return {
    get,
    set,
    /** @param what the key of the last entry that counts; undefined: all entries count */
    number: (list: OrderedList, what: SqlRow | undefined, find: () => number) =>
      get(list, what) ?? set(list, what, find()),
    /** What is known of a list since the last change of the catalog. */
    list(list: OrderedList): DescribedList | undefined {
      const found = lists.get(list.name)
      return found?.latest === list.latest ? found : undefined
    },
    setList: (list: OrderedList, described: DescribedList) =>
      lists.set(list.name, { ...described, latest: list.latest }),
  }
}

function keyIn([, id, age]: Entry, { columns }: KeyOrder): SqlRow {
  return columns.map(column => (column === 'id' ? id : age))
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
