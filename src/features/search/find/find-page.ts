import type { Connection, SqlRow } from '../../../catalog/database/sqlite-connection.js'
import { malformedRequest } from '../../../core/problem.js'
import type { SearchRequest } from '../search-engine.js'
import { compileCondition, isOneOf, plain, withFilter } from './compile-condition.js'
import { countFacets } from './count-facets.js'
import type { FindJob, FindLimits, FoundHit, FoundHits } from './find-jobs.js'
import {
  afterSql,
  type HitOrder,
  type HitSource,
  hitOrder,
  hitsSql,
  newestFirst,
  orderBySql,
  scoreSql,
  walkedHitsSql,
} from './hits-sql.js'
import { countSlices, type OpenedIndex, type PageHit, readIndexState, readRows } from './opened-index.js'
import { type HitCursor, readCursor, type ScoreCursor, writeCursor } from './page-cursor.js'

/** A page without its highlights. */
interface FoundRows extends Omit<FoundHits, 'hits'> {
  readonly rows: readonly Omit<FoundHit, 'highlights'>[]
}

/**
 * Finds total, facets and the rows of a page. The caller opens a transaction.
 * @throws ProblemError `malformed-request`
 */
export function findRows(
  { connection, fieldsSeenBy }: OpenedIndex,
  { request, visibility, limits }: FindJob,
): FoundRows {
  const fields = fieldsSeenBy(visibility)
  const state = readIndexState(connection)
  const { condition, filter, kinds, window } = request
  const sourceOf = (further?: typeof condition): HitSource => ({
    condition: compileCondition(withFilter(condition, further), fields),
    ...{ kinds, visibility, isSameBuild: state.isSameBuild },
  })
  const source = sourceOf(filter)
  const order = hitOrder(request.sort, source.condition.isScored, fields)
  const cursor = 'after' in window ? readCursor(window.after, request, state.identity) : undefined
  const { facets, totalOf } = countFacets(request.facets, [{ connection, fields, sourceOf }], limits)
  // Most searches have a facet, whose query counts all hits.
  const counted = totalOf(filter)
  const { total, isExact } =
    counted === undefined
      ? countSlices(connection, source, state.last, limits)
      : { total: counted, isExact: true }
  const search: PageSearch = {
    ...{ connection, request, source, order, cursor, total, limits },
    identity: state.identity,
  }
  const wholePage = pageOf(search, window.limit)
  const { rows, taken } = readRows(connection, wholePage.hits, limits.pageBytes)
  // If the page ends early, its cursor stands after its own last hit.
  const page = taken < wholePage.hits.length ? pageOf(search, taken) : wholePage
  return {
    rows,
    ...{ total, facets, commit: state.commit, isCurrent: state.isCurrent },
    totalIs: isExact ? 'exact' : 'atLeast',
    ...(page.next !== undefined && { next: page.next }),
    ...(page.ranked && { ranked: page.ranked }),
    notes: fields.notes(),
  }
}

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
  readonly limits: FindLimits
}

interface HitPage {
  readonly hits: readonly PageHit[]
  readonly next?: string
  readonly ranked?: 'all' | 'newest'
}

function pageOf(search: PageSearch, limit: number): HitPage {
  const { request, order, cursor } = search
  const offset = 'offset' in request.window ? request.window.offset : 0
  if (order.by === 'score' && cursor?.by !== 'newest')
    return scorePage(search, cursor?.by === 'score' ? cursor : undefined, offset, limit)
  if (order.by === 'columns')
    return columnsPage(search, order, cursor?.by === 'columns' ? cursor.place : undefined, offset, limit)
  const page = newestPage(search, cursor?.by === 'newest' ? cursor.rev - 1 : undefined, offset, limit)
  return { ...page, ...(order.by === 'score' && { ranked: 'newest' as const }) }
}

function pageWith<H extends PageHit>(
  { request, identity }: PageSearch,
  hits: readonly H[],
  hasMore: boolean,
  cursorAfter: (last: H) => HitCursor,
): HitPage {
  const last = hits.at(-1)
  return { hits, ...(hasMore && last && { next: writeCursor(cursorAfter(last), request, identity) }) }
}

/** @param max the highest row of a hit; undefined: all rows */
function newestPage(search: PageSearch, max: number | undefined, offset: number, limit: number): HitPage {
  const { connection, source } = search
  const tail = { sql: `${newestFirst(source)} LIMIT ? OFFSET ?`, values: [limit + 1, offset] }
  const { sql, values } = hitsSql('f.rev, n.rev', source, { max, tail })
  const rows = connection.prepare<readonly [rev: number, newest: number]>(sql).all(...values)
  const hits = rows.slice(0, limit).map(([rev, newest]) => ({ rev, newest }))
  return pageWith(search, hits, rows.length > limit, last => ({ by: 'newest', rev: last.rev }))
}

/** Indexes of `indexed` that have the order of a column. */
const orderedIndexes: Readonly<Record<string, string>> = {
  'f.updated': 'indexed_by_update',
  'f.id': 'indexed_by_id',
  'f.title': 'indexed_by_title',
  'f.schema': 'indexed_by_schema',
  'f.version': 'indexed_by_version',
}
/** Limit of the offset of a page that is read in the order of an index. */
const maxWalkedOffset = 1000

function columnsPage(
  search: PageSearch,
  { columns, scoreAt }: Extract<HitOrder, { by: 'columns' }>,
  place: SqlRow | undefined,
  offset: number,
  limit: number,
): HitPage {
  const { connection, source, total, limits } = search
  const isMany = total > limits.ranked
  if (scoreAt !== undefined && isMany) {
    throw malformedRequest(
      `More than ${limits.ranked} records match. They can be ordered by score only with the best first and without further fields: choose that order, or make the query narrower.`,
    )
  }
  const order = orderBySql(columns)
  const selected = `f.rev, n.rev, ${columns.map(({ sql }) => sql).join(', ')}`
  const more = place?.length === columns.length ? [afterSql(columns, place)] : []
  const tail = { sql: `${order.sql} LIMIT ? OFFSET ?`, values: [...order.values, limit + 1, offset] }
  // To sort very many hits takes longer than to read some until the page is full.
  const index = isMany && offset < maxWalkedOffset ? orderedIndexes[columns[0]?.sql ?? ''] : undefined
  const { sql, values } =
    index === undefined
      ? hitsSql(selected, source, { more, tail })
      : walkedHitsSql(selected, index, source, { more, tail })
  const rows = connection
    .prepare<readonly [rev: number, newest: number, ...SqlRow]>(sql)
    .all(...columns.flatMap(column => column.values), ...values)
  const hits = rows.slice(0, limit).map(([rev, newest, ...key]) => ({
    ...{ rev, newest, key },
    ...(scoreAt !== undefined && { score: Number(key[scoreAt]) }),
  }))
  return pageWith(search, hits, rows.length > limit, last => ({ by: 'columns', place: last.key }))
}

/** Number of the last hits of a page after which the next page may begin, because the later ones may have changed. */
const lastHits = 3

function scorePage(
  search: PageSearch,
  cursor: ScoreCursor | undefined,
  offset: number,
  limit: number,
): HitPage {
  const { request, identity, total, limits } = search
  const rankedFrom = cursor?.rankedFrom ?? (total > limits.ranked ? newestHit(search, limits.ranked - 1) : 0)
  // Records that were changed since the first page have higher rows. They are left out, so that none comes again.
  const until = cursor?.until ?? newestHit(search, 0)
  const found = rowsByScore(search, { min: rankedFrom, max: until }, cursor, offset, limit + 1)
  const hits = found.slice(0, limit)
  const ranked = rankedFrom > 0 ? ('newest' as const) : ('all' as const)
  if (rankedFrom === 0 || found.length > limit) {
    const page = pageWith(search, hits, found.length > limit, last => {
      const rows = hits.slice(-lastHits).map(({ rev }) => rev)
      return { by: 'score', last: rows.reverse(), score: last.score, rankedFrom, until }
    })
    return { ...page, ranked }
  }
  // The ranked hits end on this page. The others follow, newest first.
  if (hits.length === limit)
    return { hits, next: writeCursor({ by: 'newest', rev: rankedFrom }, request, identity), ranked }
  const rest = newestPage(search, rankedFrom - 1, 0, limit - hits.length)
  return { hits: [...hits, ...rest.hits], ...(rest.next !== undefined && { next: rest.next }), ranked }
}

/** The row of a hit, newest first; 0 if there are fewer hits. @param offset number of newer hits */
function newestHit({ connection, source }: PageSearch, offset: number): number {
  const tail = { sql: `${newestFirst(source)} LIMIT 1 OFFSET ?`, values: [offset] }
  const { sql, values } = hitsSql('f.rev', source, { tail })
  return connection.prepare<readonly [rev: number]>(sql).get(...values)?.[0] ?? 0
}

type ScoreRow = readonly [rev: number, newest: number, score: number]

function rowsByScore(
  { connection, source }: PageSearch,
  range: { readonly min: number; readonly max: number },
  cursor: ScoreCursor | undefined,
  offset: number,
  count: number,
) {
  const selected = `f.rev AS rev, n.rev AS newest, ${scoreSql} AS score`
  const { sql, values } = hitsSql(selected, source, range)
  /** The score of a row today; undefined for a row that is no hit any more. */
  const scoreOf = (row: number) => {
    const one = hitsSql(selected, source, { min: row, max: row })
    return connection.prepare<ScoreRow>(one.sql).get(...one.values)?.[2]
  }
  const anchor = cursor?.last.find(row => scoreOf(row) !== undefined)
  const score = anchor === undefined ? cursor?.score : scoreOf(anchor)
  const shown = isOneOf('rev', cursor?.last ?? [])
  const after =
    score === undefined
      ? plain('1')
      : {
          sql: `(score > ? OR (score = ? AND rev < ?)) AND NOT ${shown.sql}`,
          values: [score, score, anchor ?? Number.MAX_SAFE_INTEGER, ...shown.values],
        }
  return connection
    .prepare<ScoreRow>(
      `SELECT rev, newest, score FROM (${sql}) WHERE ${after.sql} ORDER BY score, rev DESC LIMIT ? OFFSET ?`,
    )
    .all(...values, ...after.values, count, offset)
    .map(([rev, newest, each]) => ({ rev, newest, score: each }))
}
