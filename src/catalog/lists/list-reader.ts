import { LRUCache } from 'lru-cache'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { ListCursor, PageRequest, PageWindow } from '../../core/records/list-page.js'
import type { ListQuery } from '../../core/records/list-query.js'
import type { Oid } from '../../core/value-types.js'
import { toInstant } from '../../core/value-types.js'
import type { Connection, SqlRow } from '../database/sqlite-connection.js'
import { countUpTo, mostChanges, openListChanges } from './list-delta.js'
import type { AnchorScan } from './list-page-offsets.js'
import {
  type AccessPath,
  type Anchor,
  audiencesSql,
  changedSince,
  currentList,
  type KeyOrder,
  type ListSource,
  lastVisibleCommitSql,
  orderOf,
  pageSql,
  pastList,
  rankSql,
  type SqlQuery,
  totalSql,
  unchangedSince,
} from './list-sql.js'
import type { PointInTimeTables } from './point-in-time.js'

/** Places kept for one query: ends of pages, where the next page starts, and steps on the way to a deep one. */
const mostAnchors = 2048
/** Entries between two steps: the most that are counted to reach a page with no anchor near it. */
export const anchorDistance = 1024
/** Queries whose page ends and totals are kept. */
const mostQueries = 64

/** What is known of a list, as it was after the revision `upto`. */
interface Kept {
  readonly upto: number
  total: number | undefined
  /** How to get at it: by how much there is, so anew after each update. */
  access?: AccessPath | undefined
  /** The commit that names the list, for callers who may not read everything; null: they may read nothing of it. */
  commit?: Oid | null
  readonly anchors: Anchor[]
}

export interface ListReader {
  /**
   * @param remember whether what this call finds out may serve later ones: not inside a writer's transaction
   * @param read reads rows of `revision` by their numbers, all or as many of the first ones as the page may have
   * @returns what was read, in the order of the listing, and the rest of a `ListPage`
   * @throws ProblemError `not-found`, `malformed-request`
   */
  list<T>(
    kind: Collection,
    query: ListQuery,
    cut: PageRequest,
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
   * Says whether a page of today's list is found without looking at many entries: it begins near the start or near a place that
   * is known, and how many there are is counted already.
   */
  isNear(kind: Collection, query: ListQuery, cut: PageRequest): boolean
  /** Says whether pages far in the list are found without counting to them, for a while at least. */
  hasAnchors(kind: Collection, query: ListQuery): boolean
  /** Takes over where the entries of a list stood, to be brought up to date when it is asked for. */
  addAnchors(kind: Collection, query: ListQuery, survey: AnchorScan): void
}

/** What {@link pageSql} selects. */
type Entry = readonly [rev: number, id: string, age: number]

/**
 * Listings page by key: a page that follows one given before starts at its end; any other is reached by counting
 * over a covering index from the nearest end known, never over the rows themselves.
 */
export function openListReader(connection: Connection, snapshots: PointInTimeTables): ListReader {
  const kept = new LRUCache<string, Kept>({ max: mostQueries })
  let keptFor: string | undefined
  const changes = openListChanges(connection)
  const state = connection.prepare<readonly [head: string | null, identity: string]>(
    'SELECT head, identity FROM state',
  )
  const newestRevision = connection.prepare<readonly [rev: number]>(
    'SELECT coalesce(max(rev), 0) FROM revision',
  )
  const tallyOf = connection.prepare<readonly [number]>('SELECT n FROM tally WHERE kind = ? AND schema = ?')
  const tally = connection.prepare<readonly [number]>('SELECT coalesce(sum(n), 0) FROM tally WHERE kind = ?')
  const shown = {
    all: connection.prepare<readonly [number]>(
      `SELECT coalesce(sum(n), 0) FROM shown WHERE audience IN (${audiencesSql})`,
    ),
    ofKind: connection.prepare<readonly [number]>(
      `SELECT coalesce(sum(n), 0) FROM shown WHERE audience IN (${audiencesSql}) AND kind = ?`,
    ),
    ofSchema: connection.prepare<readonly [number]>(
      `SELECT coalesce(sum(n), 0) FROM shown WHERE audience IN (${audiencesSql}) AND kind = ? AND schema = ?`,
    ),
  }
  const describing = connection.prepare<readonly [number]>(
    'SELECT count(*) FROM (SELECT 1 FROM resource WHERE resource IN (SELECT value FROM json_each(?)) LIMIT ?)',
  )

  /** What a list is kept under: it depends on nothing else. */
  function nameOf(kind: Collection, query: ListQuery, order: KeyOrder, past?: number): string {
    const { documentTypes, resources, schemaIds, from, until } = query
    const { readableBy, readableIds, readsUnrevoked } = query
    return JSON.stringify([
      kind,
      documentTypes,
      resources,
      schemaIds,
      from,
      until,
      readableBy,
      readableIds,
      readsUnrevoked,
      order.columns,
      order.backwards,
      past,
    ])
  }

  /** Another build of the catalog has other numbers. */
  function forgetOthers(identity: string): void {
    if (identity !== keptFor) kept.clear()
    keptFor = identity
  }

  /** What is known of the list, brought up to the newest revision where that can be told from what has changed. */
  function keptOf(
    identity: string,
    latest: number,
    kind: Collection,
    query: ListQuery,
    order: KeyOrder,
    past: number | undefined,
  ): Kept {
    forgetOthers(identity)
    const name = nameOf(kind, query, order, past)
    const known = kept.get(name)
    const found = (known && carried(known, latest, kind, query, order, past)) ?? nothing(latest)
    if (found !== known) kept.set(name, found)
    return found
  }

  /** What was known before others wrote, as it is now. Undefined: it has to be found out anew. */
  function carried(
    known: Kept,
    latest: number,
    kind: Collection,
    query: ListQuery,
    order: KeyOrder,
    past: number | undefined,
  ): Kept | undefined {
    if (known.upto === latest) return known
    const changed = changes.since(known.upto)
    if (!changed) return undefined
    if (past !== undefined) {
      // The past changes by what leaves it only, and by who may see it.
      const stays = changed.every(
        ({ isNew, before, after }) => isNew || (!query.readableBy && before && after),
      )
      return stays ? { ...known, upto: latest, access: undefined } : undefined
    }
    const keys = changes.ofToday(changed, known.upto, kind, query, order)
    if (!keys) return undefined
    const { left, come } = keys
    const anchors = known.anchors.map(({ offset, key }) => {
      return { key, offset: offset - countUpTo(left, key, order) + countUpTo(come, key, order) }
    })
    const total = known.total === undefined ? undefined : known.total - left.length + come.length
    return { upto: latest, total, anchors }
  }

  /** @returns the metadata that follow the schema, or all records of a kind */
  function tallied(kind: Collection, schemaId?: string): number {
    return (schemaId === undefined ? tally.get(kind) : tallyOf.get('metadata', schemaId))?.[0] ?? 0
  }

  /**
   * Gathering what a caller may see, or what follows a schema, beats looking at everything when it is a small part. That what
   * a caller may not see takes no time matters beyond speed: it would tell how much there is.
   */
  function accessOf(kind: Collection, query: ListQuery, order: KeyOrder): AccessPath {
    const { readableBy, readableIds, readsUnrevoked, schemaIds, resources } = query
    const isSmall = (part: number, of: number) => part * 8 < of
    const all = tallied(kind)
    const metadata = kind === 'metadata'
    const byId = order.columns[0] === 'id' && metadata && !resources && schemaIds?.length === 1
    const walksIds = byId && !isSmall(tallied(kind, schemaIds[0]), all)
    if (!readableBy || readsUnrevoked) return { walksIds }

    const seen = (shown.all.get(JSON.stringify(readableBy))?.[0] ?? 0) + (readableIds?.length ?? 0)
    const isLess = () => {
      if (metadata && resources) return seen < (describing.get(JSON.stringify(resources), seen + 1)?.[0] ?? 0)
      if (metadata && schemaIds) return seen < schemaIds.reduce((sum, id) => sum + tallied(kind, id), 0)
      return isSmall(seen, all)
    }
    const seesLittle = isSmall(seen, tallied('schema') + tallied('metadata'))
    return { seesLittle, gathersSeen: isLess(), walksIds }
  }

  function count({ sql, values }: SqlQuery): number {
    return connection.prepare<readonly [number]>(sql).get(...values)?.[0] ?? 0
  }

  function totalNow(kind: Collection, query: ListQuery, shape: ListSource): number {
    const { documentTypes, from, until, readableBy, readableIds, readsUnrevoked } = query
    const { resources, schemaIds } = kind === 'metadata' ? query : {}
    const isCounted =
      !documentTypes &&
      from === undefined &&
      until === undefined &&
      !resources &&
      !readableIds &&
      !readsUnrevoked
    if (!isCounted || (schemaIds && schemaIds.length !== 1)) return count(totalSql(shape))
    const [schemaId] = schemaIds ?? []
    if (!readableBy) return tallied(kind, schemaId)
    const sids = JSON.stringify(readableBy)
    const found =
      schemaId === undefined ? shown.ofKind.get(sids, kind) : shown.ofSchema.get(sids, kind, schemaId)
    return found?.[0] ?? 0
  }

  function list<T>(
    kind: Collection,
    query: ListQuery,
    cut: PageRequest,
    remember: boolean,
    read: (revs: readonly number[]) => readonly T[],
  ) {
    const [head, identity] = state.get() ?? [null, '']
    const upto = cut.at && snapshots.revisionAt(cut.at)
    const past = upto !== undefined && snapshots.prepare(upto, identity) ? upto : undefined
    const order = orderOf(kind, query.sort)
    const latest = newestRevision.get()?.[0] ?? 0
    const memory = remember ? keptOf(identity, latest, kind, query, order, past) : nothing(latest)

    memory.access ??= accessOf(kind, query, order)
    const { access } = memory
    const today = currentList(kind, query, access)
    const former = past === undefined ? undefined : pastList(past, kind, query)
    const shapes = past === undefined || !former ? [today] : [unchangedSince(past, today), former]
    memory.total ??=
      past === undefined || !former
        ? totalNow(kind, query, today)
        : totalNow(kind, query, today) -
          count(totalSql(changedSince(past, kind, query))) +
          count(totalSql(former))
    const { total } = memory
    const commit = query.readableBy
      ? lastSeen(memory, query, access, upto ?? latest)
      : (cut.at?.commit ?? (head as Oid | null) ?? undefined)
    const about = { total, ...(commit && { commit }) }

    const begin = cut.after && anchorAt(memory, shapes, order, keyOf(cut.after, order))
    const offset = begin?.offset ?? cut.offset
    if (offset >= total || cut.limit === 0) return { items: [], offset, ...about }
    const anchor = begin ?? approach(memory, shapes, order, offset)
    const entries = entriesOf(shapes, order, { offset, limit: cut.limit }, anchor)
    const items = read(entries.map(([rev]) => rev))
    const end = offset + items.length
    const last = entries[items.length - 1]
    const [, id, age] = last ?? [0, '', 0]
    if (last) keep(memory, { offset: end, key: keyIn(last, order) })
    return {
      items,
      offset,
      ...about,
      ...(last && end < total && { next: placeOf(id, age, order) }),
    }
  }

  /**
   * The last commit up to a revision that changed a record the caller sees: its list is the same, and that others were
   * made since is not the caller's to know.
   */
  function lastSeen(memory: Kept, query: ListQuery, access: AccessPath, upto: number): Oid | undefined {
    if (memory.commit === undefined) {
      const { sql, values } = lastVisibleCommitSql(upto, query, access)
      const found = connection.prepare<readonly [oid: string]>(sql).get(...values)
      memory.commit = (found?.[0] ?? null) as Oid | null
    }
    return memory.commit ?? undefined
  }

  function entriesOf(
    shapes: readonly ListSource[],
    order: KeyOrder,
    window: PageWindow,
    anchor?: Anchor,
  ): readonly Entry[] {
    const { sql, values } = pageSql(shapes, order, window, anchor)
    return connection.prepare<Entry>(sql).all(...values)
  }

  /** The last place that is known up to the offset; on a long way to it, the steps are kept for those who come after. */
  function approach(
    memory: Kept,
    shapes: readonly ListSource[],
    order: KeyOrder,
    offset: number,
  ): Anchor | undefined {
    let anchor = nearest(memory.anchors, offset)
    for (;;) {
      const next = (anchor?.offset ?? 0) + anchorDistance
      if (next > offset) return anchor
      const [entry] = entriesOf(shapes, order, { offset: next - 1, limit: 1 }, anchor)
      if (!entry) return anchor
      anchor = { offset: next, key: keyIn(entry, order) }
      keep(memory, anchor)
    }
  }

  /** The place as it is known, or counted. */
  function anchorAt(memory: Kept, shapes: readonly ListSource[], order: KeyOrder, key: SqlRow): Anchor {
    const known = memory.anchors.find(anchor => anchor.key.every((value, at) => value === key[at]))
    if (known) return known
    const anchor = {
      offset: shapes.reduce((sum, shape) => sum + count(rankSql(shape, order, key)), 0),
      key,
    }
    keep(memory, anchor)
    return anchor
  }

  function isNear(kind: Collection, query: ListQuery, { offset, after }: PageRequest): boolean {
    const { documentTypes, resources, schemaIds = [], from, until, readableIds, readsUnrevoked } = query
    const isCounted = !documentTypes && !resources && !readableIds && !readsUnrevoked && schemaIds.length <= 1
    if (!isCounted || from !== undefined || until !== undefined) return false
    if (!after && offset < anchorDistance) return true
    const order = orderOf(kind, query.sort)
    const known = state.get()?.[1] === keptFor ? kept.peek(nameOf(kind, query, order)) : undefined
    if (!known) return false
    if (!after) return offset - (nearest(known.anchors, offset)?.offset ?? 0) <= anchorDistance
    const key = keyOf(after, order)
    return known.anchors.some(anchor => anchor.key.every((value, at) => value === key[at]))
  }

  function hasAnchors(kind: Collection, query: ListQuery): boolean {
    const [, identity] = state.get() ?? []
    const known = kept.peek(nameOf(kind, query, orderOf(kind, query.sort)))
    if (identity !== keptFor || !known) return false
    // Bringing it up to date goes through what has changed; of too much it is forgotten.
    const isClose = (newestRevision.get()?.[0] ?? 0) - known.upto <= mostChanges / 2
    return isClose && known.anchors.length >= Math.floor((known.total ?? 0) / anchorDistance) - 1
  }

  function addAnchors(kind: Collection, query: ListQuery, { identity, upto, anchors }: AnchorScan): void {
    forgetOthers(identity)
    kept.set(nameOf(kind, query, orderOf(kind, query.sort)), {
      upto,
      total: undefined,
      anchors: [...anchors],
    })
  }

  return { list, isNear, hasAnchors, addAnchors }
}

function nothing(upto: number): Kept {
  return { upto, total: undefined, anchors: [] }
}

function keep(memory: Kept, anchor: Anchor): void {
  if (memory.anchors.some(known => known.offset === anchor.offset)) return
  if (memory.anchors.length >= mostAnchors) memory.anchors.shift()
  memory.anchors.push(anchor)
}

/** The last end of a page that is known up to the offset. */
function nearest(anchors: readonly Anchor[], offset: number): Anchor | undefined {
  let found: Anchor | undefined
  for (const anchor of anchors)
    if (anchor.offset <= offset && anchor.offset > (found?.offset ?? 0)) found = anchor
  return found
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
      'The parameter after says no time, and the list is ordered by lastUpdate: write it as <lastUpdate>,<id>.',
    )
  })
}

function placeOf(id: string, age: number, { columns }: KeyOrder): ListCursor {
  return columns.includes('age') ? { id, time: toInstant(-age) } : { id }
}
