import type { Connection, SqlRow } from '../../catalog/database/sqlite-connection.js'
import type { SqlQuery } from '../../catalog/lists/list-sql.js'
import { malformedRequest } from '../../core/problem.js'
import type { SearchRequest } from '../search-engine.js'
import type { CompiledCondition } from './conditions/compile-condition.js'
import { isOneOf, plain } from './conditions/search-sql.js'
import type { FindLimits } from './find-limits.js'
import type { BestHit, ColumnHits } from './gather-by-columns.js'
import { type HitOrder, updatedColumn } from './hit-order.js'
import {
  afterSql,
  type HitSource,
  hitsSql,
  inOrderOfUpdates,
  inRowOrder,
  newestFirst,
  newestRev,
  orderBySql,
  withoutScores,
} from './hits-sql.js'
import {
  type HitCursor,
  type KeptHit,
  type KeptOrders,
  type ScoreCursor,
  writeCursor,
} from './page-cursor.js'
import { scoreSql } from './scores/bm25.js'

/** A hit: its row in the index, and the row of its newest revision in the catalog. */
export interface PageHit {
  readonly rev: number
  readonly newest: number
  readonly score?: number
}

export interface HitPage {
  readonly hits: readonly PageHit[]
  readonly next?: string
  readonly ranked?: 'all' | 'newest'
}

/** Limit of the offset of a page that is read in the order of updates. */
const maxWalkedOffset = 1000

interface PageSearch {
  readonly connection: Connection
  readonly request: SearchRequest
  readonly source: HitSource
  readonly order: HitOrder
  /** The end of the page before; undefined for a page by its offset. */
  readonly cursor: HitCursor | undefined
  readonly identity: string
  /** Number of hits, or a lower bound above {@link FindLimits.ranked}. */
  readonly total: number
  readonly kept: KeptOrders
  readonly limits: FindLimits
  /** The hits, if they were found by columns. */
  readonly columns: Pick<ColumnHits, 'best' | 'rankedFrom' | 'ridOf'> | undefined
}

/** A search whose order is the score. */
interface ScoreSearch extends PageSearch {
  readonly order: Extract<HitOrder, { by: 'score' }>
}

export function findPage(search: PageSearch): HitPage {
  const { request, order, cursor } = search
  const { window } = request
  const offset = 'offset' in window ? window.offset : 0
  if (order.by === 'score' && cursor?.by !== 'newest')
    return scorePage({ ...search, order }, cursor?.by === 'score' ? cursor : undefined, offset)
  if (order.by === 'columns')
    return columnsPage(search, order, cursor?.by === 'columns' ? cursor.place : undefined, offset)
  const rev = cursor?.by === 'newest' ? cursor.rev : undefined
  const page = newestPage(search, rev === undefined ? undefined : rev - 1, window.limit, offset)
  return { ...page, ...(order.by === 'score' && { ranked: 'newest' as const }) }
}

type NewestRow = readonly [rev: number, newest: number]

function newestPage(search: PageSearch, max: number | undefined, limit: number, offset: number): HitPage {
  const { connection } = search
  const source = inRowOrder(search.source)
  const tail = { sql: ` ORDER BY ${newestFirst(source)} LIMIT ? OFFSET ?`, values: [limit + 1, offset] }
  const range = max === undefined ? {} : { max }
  const { sql, values } = hitsSql(`f.rev, ${newestRev(source)}`, source, range, [], tail)
  const rows = connection.prepare<NewestRow>(sql).all(...values)
  const hits = rows.slice(0, limit).map(([rev, newest]) => ({ rev, newest }))
  return pageWith(search, hits, rows.length > limit, last => ({ by: 'newest', rev: last.rev }))
}

function columnsPage(
  search: PageSearch,
  { columns, scoreAt }: Extract<HitOrder, { by: 'columns' }>,
  place: SqlRow | undefined,
  offset: number,
): HitPage {
  const { connection, request } = search
  if (scoreAt !== undefined && search.total > search.limits.ranked) {
    throw malformedRequest(
      `More than ${search.limits.ranked} records match. They can be ordered by score only with the best first and without further fields: choose that order, or make the query narrower.`,
    )
  }
  const { limit } = request.window
  // To sort most of the records takes longer than to read some until a page is full.
  const isMost = search.source.from === 'index' && search.total > search.limits.ranked
  const walks = columns[0]?.sql === updatedColumn && isMost && offset < maxWalkedOffset
  const unwalked = scoreAt === undefined ? withoutScores(search.source) : search.source
  const source = walks ? inOrderOfUpdates(search.source) : unwalked
  const order = orderBySql(columns)
  const selected = `f.rev, ${newestRev(source)}, ${columns.map(({ sql }) => sql).join(', ')}`
  const after = place?.length === columns.length ? [afterSql(columns, place)] : []
  const tail = { sql: `${order.sql} LIMIT ? OFFSET ?`, values: [...order.values, limit + 1, offset] }
  const { sql, values } = hitsSql(selected, source, {}, after, tail)
  const rows = connection
    .prepare<readonly [rev: number, newest: number, ...SqlRow]>(sql)
    .all(...columns.flatMap(column => column.values), ...values)
  const hits = rows.slice(0, limit).map(([rev, newest, ...key]) => ({
    ...{ rev, newest, key },
    ...(scoreAt !== undefined && { score: Number(key[scoreAt]) }),
  }))
  return pageWith(search, hits, rows.length > limit, last => ({ by: 'columns', place: last.key }))
}

function pageWith<H extends PageHit>(
  { request, identity }: PageSearch,
  hits: readonly H[],
  more: boolean,
  cursorAfter: (last: H) => HitCursor,
): HitPage {
  const last = hits.at(-1)
  return { hits, ...(more && last && { next: writeCursor(cursorAfter(last), request, identity) }) }
}

type ScoreRow = readonly [rid: number | null, rev: number, newest: number, score: number]

/** A hit with what a cursor after it needs. */
interface ScoredHit extends PageHit {
  readonly score: number
}

function scorePage(search: ScoreSearch, cursor: ScoreCursor | undefined, offset: number): HitPage {
  const { limit } = search.request.window
  const rankedFrom = cursor?.rankedFrom ?? (search.total > search.limits.ranked ? firstRanked(search) : 0)
  const ranked = rankedFrom > 0 ? ('newest' as const) : ('all' as const)
  const found = cursor ? nextByScore(search, cursor) : firstByScore(search, rankedFrom, offset)
  const { hits, kept, position } = found
  if (hits.length > limit || (rankedFrom === 0 && !found.more)) {
    const shown = hits.slice(0, limit)
    const page = pageWith(search, shown, hits.length > limit, last => {
      return { by: 'score', kept, position: position + limit, score: last.score, rev: last.rev, rankedFrom }
    })
    return { ...page, ranked }
  }
  // The ranked hits end on this page. The others follow, newest first.
  if (hits.length === limit) {
    const next = writeCursor({ by: 'newest', rev: rankedFrom }, search.request, search.identity)
    return { hits, next, ranked }
  }
  const rest = newestPage(search, rankedFrom - 1, limit - hits.length, 0)
  return { hits: [...hits, ...rest.hits], ...(rest.next !== undefined && { next: rest.next }), ranked }
}

interface FoundByScore {
  /** One hit more than the page has, if there are more. */
  readonly hits: readonly ScoredHit[]
  readonly more: boolean
  readonly kept: string
  /** Number of hits before these ones. */
  readonly position: number
}

/** The first row of the newest {@link FindLimits.ranked} hits. */
function firstRanked({ connection, limits, ...search }: PageSearch): number {
  if (search.columns?.rankedFrom !== undefined) return search.columns.rankedFrom
  const source = inRowOrder(search.source)
  const tail = { sql: ` ORDER BY ${newestFirst(source)} LIMIT 1 OFFSET ?`, values: [limits.ranked - 1] }
  const { sql, values } = hitsSql('f.rev', source, {}, [], tail)
  return connection.prepare<readonly [rev: number]>(sql).get(...values)?.[0] ?? 0
}

function rowsByScore(
  { connection, source, order: { match } }: ScoreSearch,
  rankedFrom: number,
  limit: number,
  offset: number,
  more: SqlQuery = plain('1'),
): readonly ScoreRow[] {
  const range = rankedFrom > 0 ? { min: rankedFrom } : {}
  const row =
    source.from === 'match'
      ? `NULL AS rid, ${match.table}.rowid AS rev, ${match.table}.rowid AS newest`
      : `f.rid AS rid, f.rev AS rev, ${newestRev(source)} AS newest`
  const selected = `${row}, ${scoreSql(match)} AS score`
  const inner = hitsSql(selected, source, range)
  const sql = `SELECT rid, rev, newest, score FROM (${inner.sql}) WHERE ${more.sql}
    ORDER BY score, rev DESC LIMIT ? OFFSET ?`
  return connection.prepare<ScoreRow>(sql).all(...inner.values, ...more.values, limit, offset)
}

function firstByScore(search: ScoreSearch, rankedFrom: number, offset: number): FoundByScore {
  const end = offset + search.request.window.limit + 1
  const keeps = end <= search.limits.kept && search.total >= end
  const [first, count] = keeps ? [0, search.limits.kept] : [offset, end - offset]
  // `best` has the best of all hits, not the best of the newest ones.
  const best = rankedFrom === 0 ? search.columns?.best?.(first, count) : undefined
  const rows = best?.map(bestRow) ?? rowsByScore(search, rankedFrom, count, first)
  const kept = keeps
    ? search.kept.keep(
        {
          hits: rows.map(([rid, rev, , score]) => [rid ?? search.columns?.ridOf(rev) ?? 0, rev, score]),
          isWhole: rows.length < count,
        },
        search.identity,
      )
    : ''
  const hits = rows.slice(keeps ? offset : 0, keeps ? end : undefined).map(hitOf)
  return { hits, more: rows.length >= end - offset, kept, position: offset }
}

function bestRow({ rid, row, score }: BestHit): ScoreRow {
  return [rid, row, row, score]
}

function hitOf([, rev, newest, score]: ScoreRow): ScoredHit {
  return { rev, newest, score }
}

/**
 * The next hits of a kept order. After the end of that order, or if it is kept no more, hits are read by score. Hits of
 * that order whose scores have become worse meanwhile are not read again.
 */
function nextByScore(search: ScoreSearch, cursor: ScoreCursor): FoundByScore {
  const wanted = search.request.window.limit + 1
  const order = search.kept.get(cursor.kept, search.identity)
  const current = order && currentRows(search, order.hits)
  let after = { score: cursor.score, rev: cursor.rev }
  const hits: ScoredHit[] = []
  let position = cursor.position
  for (const [rid, rev, score] of order?.hits.slice(cursor.position) ?? []) {
    if (hits.length === wanted) break
    const row = current?.get(rid)
    // The record is gone, or the caller does not see it any more: it has left the order.
    if (row) hits.push({ rev, newest: row, score })
    else position++
    after = { score, rev }
  }
  if (hits.length < wanted && !order?.isWhole) {
    const rows = rowsByScore(search, cursor.rankedFrom, wanted - hits.length, 0, {
      sql: '(score > ? OR (score = ? AND rev < ?)) AND newest NOT IN (SELECT value FROM json_each(?))',
      values: [after.score, after.score, after.rev, JSON.stringify([...(current?.values() ?? [])])],
    })
    hits.push(...rows.map(hitOf))
  }
  return { hits, more: hits.length >= wanted, kept: cursor.kept, position }
}

const anyHit: CompiledCondition = { match: undefined, sets: [], rest: plain('1'), isWhole: true }

/** Newest revisions of those records of a kept order that the caller sees now. */
function currentRows(
  { connection, source }: PageSearch,
  order: readonly KeptHit[],
): ReadonlyMap<number, number> {
  const ofOrder = isOneOf(
    'f.rid',
    order.map(([rid]) => rid),
  )
  const all: HitSource = { ...source, condition: anyHit, from: 'index' }
  const { sql, values } = hitsSql('f.rid, n.rev', all, {}, [ofOrder])
  return new Map(connection.prepare<readonly [rid: number, newest: number]>(sql).all(...values))
}
