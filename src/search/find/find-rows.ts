import type { Connection } from '../../catalog/database/sqlite-connection.js'
import type { SearchRequest } from '../search-engine.js'
import type { BackgroundColumns } from './background-columns.js'
import { type CompiledCondition, compileCondition, conditionSql } from './conditions/compile-condition.js'
import type { FieldLookup } from './conditions/field-lookup.js'
import { countFacets } from './count-facets.js'
import type { FindJob, FoundHit, FoundHits } from './find-jobs.js'
import type { FindLimits } from './find-limits.js'
import { findPage, type HitPage } from './find-page.js'
import { type ColumnHits, canGatherByColumns, gatherByColumns } from './gather-by-columns.js'
import { gatherHits, keepMatchingHits } from './gathered-hits.js'
import { type HitOrder, hitOrder } from './hit-order.js'
import type { HitSource } from './hits-sql.js'
import type { KnownTotals } from './known-totals.js'
import {
  countSlices,
  type HitTotal,
  type IndexState,
  type OpenedIndex,
  readIndexState,
  readRows,
} from './opened-index.js'
import { type HitCursor, type KeptOrders, readCursor } from './page-cursor.js'

/** What searches keep in memory for later searches. */
export interface SearchMemory {
  readonly orders: KeptOrders
  readonly totals: KnownTotals
  readonly columns: BackgroundColumns
}

/** A page without its highlights. */
interface FoundRows extends Omit<FoundHits, 'hits'> {
  readonly rows: readonly Omit<FoundHit, 'highlights'>[]
}

/**
 * Finds the rows of a page in one transaction.
 * @throws ProblemError `malformed-request`
 */
export function findRows(index: OpenedIndex, memory: SearchMemory, job: FindJob): FoundRows {
  const search = prepareSearch(index, memory, job)
  const { connection, request, limits, state, fields } = search
  const begun = performance.now()
  const reading = readHits(search)
  const facets = countAllFacets(search, reading)
  readColumnsForNext(search, reading, performance.now() - begun)
  const { total, isExact } = totalOfHits(search, reading)
  const wholePage = pageOf(search, reading, total, request.window.limit)
  const { rows, taken } = readRows(connection, wholePage.hits, limits.pageBytes)
  // If the page ends early, its cursor stands after its own last hit.
  const page = taken < wholePage.hits.length ? pageOf(search, reading, total, taken) : wholePage
  return {
    rows,
    ...{ total, facets, commit: state.commit, isCurrent: state.isCurrent },
    totalIs: isExact ? 'exact' : 'atLeast',
    ...(page.next !== undefined && { next: page.next }),
    ...(page.ranked && { ranked: page.ranked }),
    notes: fields.notes(),
  }
}

/** A search with its request as SQL. */
interface PreparedSearch {
  readonly connection: Connection
  readonly memory: SearchMemory
  readonly request: SearchRequest
  readonly limits: FindLimits
  readonly state: IndexState
  readonly fields: FieldLookup
  /** The hits without the filter, which the facets count. */
  readonly unfiltered: HitSource
  readonly hits: HitSource
  readonly order: HitOrder
  /** The end of the page before; undefined for a page by its offset. */
  readonly cursor: HitCursor | undefined
}

function prepareSearch(
  { connection, fieldsSeenBy }: OpenedIndex,
  memory: SearchMemory,
  { request, visibility, limits }: FindJob,
): PreparedSearch {
  const fields = fieldsSeenBy(visibility)
  const { condition, filter, kinds, window } = request
  const state = readIndexState(connection)
  const source = (compiled: CompiledCondition): HitSource => {
    return { condition: compiled, kinds, visibility, isSameBuild: state.isSameBuild, from: 'index' }
  }
  const unfiltered = source(compileCondition(condition, fields))
  const hits = filter
    ? source(compileCondition({ type: 'and', conditions: [condition, filter] }, fields))
    : unfiltered
  const order = hitOrder(request.sort, hits.condition.match, fields)
  const cursor = 'after' in window ? readCursor(window.after, request, state.identity) : undefined
  return { connection, memory, request, limits, state, fields, unfiltered, hits, order, cursor }
}

/** How the total, the facets and the page of a search read the hits. */
interface HitReading {
  /** The number of hits without the filter. Undefined: none are gathered, and each of them evaluates the condition. */
  readonly total?: number
  readonly pageFrom: HitSource['from']
  /** Present if columns have the total, the facets and perhaps the hits of the page. */
  readonly columns?: ColumnHits
}

function readHits(search: PreparedSearch): HitReading {
  const columns = readColumns(search)
  if (columns) return { total: columns.total, pageFrom: columns.pageFrom, columns }
  const { connection, request, limits, state, unfiltered, order } = search
  const gathered = maxGathered(request, order, limits)
  const total = gatherHits(connection, unfiltered, state.last, { ...limits, gathered })
  return total === undefined ? { pageFrom: 'index' } : { total, pageFrom: 'gathered' }
}

/** Finds the hits by columns. @returns undefined if they have to be read without columns */
function readColumns(search: PreparedSearch): ColumnHits | undefined {
  const { connection, memory, request, limits, state, unfiltered, order, cursor } = search
  const { columns } = memory.columns
  if (!columns || isWalked(search) || !canGatherByColumns(request, order)) return undefined
  return gatherByColumns(connection, unfiltered, columns, state.through, { request, order, cursor }, limits)
}

/** Whether the search reads very many hits in their order only until the page is full. */
function isWalked({ memory, request, limits, state, hits, order }: PreparedSearch): boolean {
  return request.facets.length === 0 && order.by !== 'score' && memory.totals.get(state, hits) > limits.ranked
}

/** Limit of the hits to gather for a search that reads its hits more than once. */
function maxGathered({ facets, window }: SearchRequest, order: HitOrder, limits: FindLimits): number {
  if (facets.length > 0) return limits.gathered
  return order.by === 'score' && 'offset' in window ? Math.min(limits.gathered, limits.ranked) : 0
}

/** The number of hits. @param known the number, if the hits need not be counted */
function totalOf(
  { connection, memory, limits, state }: PreparedSearch,
  source: HitSource,
  known: number | undefined,
): HitTotal {
  return memory.totals.getOrCount(state, source, () =>
    known === undefined
      ? countSlices(connection, source, state.last, limits)
      : { total: known, isExact: true },
  )
}

/** Counts the hits with the filter. Removes the other ones from the gathered hits. */
function totalOfHits(search: PreparedSearch, reading: HitReading): HitTotal {
  const { connection, request, fields, hits } = search
  const { total } = reading
  if (total === undefined || !request.filter) return totalOf(search, hits, total)
  return totalOf(search, hits, keepMatchingHits(connection, conditionSql(request.filter, fields)))
}

function countAllFacets(search: PreparedSearch, { total, columns }: HitReading): FoundHits['facets'] {
  const { connection, request, limits, state, fields, unfiltered } = search
  const source: HitSource = total === undefined ? unfiltered : { ...unfiltered, from: 'gathered' }
  return countFacets(
    request.facets,
    [{ connection, source, fields, last: state.last, columns }],
    limits,
    () => (total ?? totalOf(search, unfiltered, undefined).total) > limits.manyHits,
  )
}

/**
 * Lets columns be read for later searches, if this search counted the facets of many hits without columns.
 * @param milliseconds that the hits and the facets have taken
 */
function readColumnsForNext(search: PreparedSearch, reading: HitReading, milliseconds: number): void {
  const { memory, request, limits, unfiltered } = search
  if (reading.columns || request.facets.length === 0) return
  if (totalOf(search, unfiltered, reading.total).total < limits.columnsFrom) return
  memory.columns.read(milliseconds)
}

function pageOf(search: PreparedSearch, reading: HitReading, total: number, limit: number): HitPage {
  const { connection, memory, limits, state, hits, order, cursor } = search
  return findPage({
    ...{ connection, order, cursor, total, limits },
    request: { ...search.request, window: { ...search.request.window, limit } },
    source: { ...hits, from: reading.pageFrom },
    identity: state.identity,
    kept: memory.orders,
    columns: reading.columns,
  })
}
