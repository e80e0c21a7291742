import type { SqlRow, SqlValue } from '../../../catalog/database/sqlite-connection.js'
import type { Visibility } from '../../../core/records/list-query.js'
import type { Oid } from '../../../core/value-types.js'
import { compileCondition, type FieldLookup, withFilter } from '../find/compile-condition.js'
import { type CountedIndex, countFacets } from '../find/count-facets.js'
import type { FindLimits, FoundHits } from '../find/find-jobs.js'
import {
  afterSql,
  type HitSource,
  hitOrder,
  hitsSql,
  type OrderColumn,
  orderBySql,
} from '../find/hits-sql.js'
import {
  countSlices,
  type OpenedIndex,
  type PageHit,
  readRows,
  withHighlights,
} from '../find/opened-index.js'
import { readCursor, writeCursor } from '../find/page-cursor.js'
import type { SearchPlace } from '../index/index-thread-jobs.js'
import type { SearchRequest } from '../search-engine.js'

/** An index that has some of the records of a point. */
interface PastPart extends Omit<CountedIndex, 'sourceOf'> {
  /** The last row of the index. */
  readonly last: number
  /** Which rows of the index belong to the point. */
  readonly rows: Pick<HitSource, 'restriction'>
}

/**
 * Finds the hits at a point whose records are in several indexes. Hits have no scores, because each index knows only
 * the words of its own records; an order by score becomes newest first.
 * @param state identifies the point: cursors are valid for the same point only
 * @throws ProblemError `malformed-request`
 */
export function findPastPage(
  { connection, packs }: Pick<OpenedIndex, 'connection' | 'packs'>,
  parts: readonly PastPart[],
  { request, visibility, limits, commit }: PastJob,
  state: string,
): FoundHits {
  const { condition, filter, kinds, window } = request
  const indexes = parts.map(part => ({
    ...part,
    sourceOf: (further?: typeof condition): HitSource => ({
      condition: compileCondition(withFilter(condition, further), part.fields),
      ...{ kinds, visibility, isSameBuild: true, ...part.rows },
    }),
  }))
  const found = indexes.map(index => ({ ...index, source: index.sourceOf(filter) }))
  const totals = found.map(index => countSlices(index.connection, index.source, index.last, limits))
  const { facets } = countFacets(request.facets, indexes, limits)
  const cursor = 'after' in window ? readCursor(window.after, request, state) : undefined
  const place = cursor?.by === 'columns' ? cursor.place : undefined
  const offset = 'offset' in window ? window.offset : 0
  const end = offset + window.limit
  const all = found.flatMap(index =>
    firstHits(index, orderColumns(request.sort, index.fields), place, end + 1),
  )
  const descending = orderColumns(request.sort, parts[0]?.fields).map(({ isDescending }) => isDescending)
  const sorted = all.sort((a, b) => compareKeys(a.key, b.key, descending))
  const hits = sorted.slice(offset, end)
  const { rows, taken } = readRows(connection, hits, limits.pageBytes)
  const last = hits[taken - 1]
  const hasMore = last !== undefined && sorted.length > offset + taken
  return {
    hits: withHighlights(packs, rows, request),
    total: totals.reduce((sum, { total }) => sum + total, 0),
    totalIs: totals.every(({ isExact }) => isExact) ? 'exact' : 'atLeast',
    facets,
    commit,
    isCurrent: true,
    notes: [...new Set(parts.flatMap(({ fields }) => fields.notes()))],
    ...(hasMore && { next: writeCursor({ by: 'columns', place: last.key }, request, state) }),
  }
}

function orderColumns(
  sort: PastJob['request']['sort'],
  fields: FieldLookup | undefined,
): readonly OrderColumn[] {
  const order = fields && hitOrder(sort, false, fields)
  return order?.by === 'columns' ? order.columns : [{ sql: 'f.rev', values: [], isDescending: true }]
}

interface SortedHit extends PageHit {
  readonly key: SqlRow
}

/** The first hits of one index after a place in the order. @param max limit of their number */
function firstHits(
  { connection, source }: Pick<CountedIndex, 'connection'> & { readonly source: HitSource },
  columns: readonly OrderColumn[],
  place: SqlRow | undefined,
  max: number,
): readonly SortedHit[] {
  const order = orderBySql(columns)
  const more = place?.length === columns.length ? [afterSql(columns, place)] : []
  const tail = { sql: `${order.sql} LIMIT ?`, values: [...order.values, max] }
  const selected = `f.rev, ${columns.map(({ sql }) => sql).join(', ')}`
  const { sql, values } = hitsSql(selected, source, { more, tail })
  return connection
    .prepare<readonly [rev: number, ...SqlRow]>(sql)
    .all(...columns.flatMap(column => column.values), ...values)
    .map(([rev, ...key]) => ({ rev, newest: rev, key }))
}

function compareKeys(a: SqlRow, b: SqlRow, descending: readonly boolean[]): number {
  for (const [index, isDescending] of descending.entries()) {
    const order = compareValues(a[index] ?? null, b[index] ?? null)
    if (order !== 0) return isDescending ? -order : order
  }
  return 0
}

/** Compares values as SQLite does: texts by their bytes. Both values are of one column, so they have one type. */
function compareValues(a: SqlValue, b: SqlValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}

/** A search among the records as they were at a commit. */
export interface PastJob extends SearchPlace {
  readonly visibility: Visibility
  readonly request: SearchRequest
  readonly limits: FindLimits
  /** A commit of the served history. */
  readonly commit: Oid
  /** Documents that the process has reported as missing; undefined for a document that cannot be read. */
  readonly documents: ReadonlyMap<Oid, Uint8Array | undefined>
}

export type PastResult =
  | { readonly page: FoundHits }
  /** More revisions have to be indexed first: send the job again, with these documents. */
  | { readonly missing: readonly Oid[] }
  /** The index does not reflect the commit yet. */
  | { readonly isBehind: true }
