import type { Connection } from '../../catalog/database/sqlite-connection.js'
import { type RevisionRow, revisionSql, toRevision } from '../../catalog/read/revision-row.js'
import { isPlain } from '../../core/plain-mode.js'
import type { Visibility } from '../../core/records/list-query.js'
import { runJobLoop } from '../../store/workers/job-loop.js'
import type { SearchPlace } from '../index/index-thread-jobs.js'
import { highlightsOf } from '../match-words/highlights.js'
import { phraseOf, wordRuns } from '../match-words/match-expression.js'
import type { Highlight, SearchRequest } from '../search-engine.js'
import { type CompiledCondition, compileCondition, conditionSql } from './conditions/compile-condition.js'
import { plain } from './conditions/search-sql.js'
import { countFacets } from './count-facets.js'
import type {
  FindJob,
  FindProcessJob,
  FindProcessResult,
  FoundPage,
  HighlightJob,
  SuggestJob,
} from './find-jobs.js'
import type { FindLimits } from './find-limits.js'
import { findPage } from './find-page.js'
import { canGatherByColumns, gatherByColumns } from './gather-by-columns.js'
import { gatherHits, keepHits } from './gathered-hits.js'
import { type HitColumns, openHitColumns } from './hit-columns.js'
import { type HitOrder, hitOrder } from './hit-order.js'
import { type HitSource, hitsSql, newestFirst } from './hits-sql.js'
import {
  checkWindow,
  countSlices,
  type HitTotal,
  longestHighlights,
  look,
  type OpenedIndex,
  openIndex,
  rowsOf,
  type Sight,
  withHighlights,
} from './opened-index.js'
import { openKeptOrders, readCursor } from './page-cursor.js'

/*
 * Answers searches, in a process of its own. Counts and facets go slice by slice and look at the time, and at most
 * {@link FindLimits.ranked} hits are ranked.
 */

/** Milliseconds without a job after which packs are closed, so that the disk space of deleted packs becomes free. */
const untilIdle = 5000
/** Newest titles that suggestions are taken from. */
const mostSuggested = 200

let opened: OpenedIndex | undefined
/** Of the opened index, once there was a search with many hits. */
let columns: HitColumns | undefined
const kept = openKeptOrders()
const idle = setTimeout(() => opened?.packs.close(), untilIdle).unref()

function open(place: SearchPlace): OpenedIndex {
  if (opened?.place.file === place.file) return opened
  opened?.packs.close()
  opened?.connection.close()
  totals.clear()
  columns = undefined
  opened = undefined
  opened = openIndex(place)
  return opened
}

function find(job: FindJob): FoundPage {
  const { request } = job
  checkWindow(request)
  const all = open(job)
  const { connection } = all
  const { rows, ...page } = connection.transaction('DEFERRED', () => findRows(all, job))
  idle.refresh()
  return { ...page, hits: withHighlights(all.packs, rows, request) }
}

function findRows({ connection, fieldsSeenBy }: OpenedIndex, { request, visibility, limits }: FindJob) {
  const fields = fieldsSeenBy(visibility)
  const { condition, filter, kinds } = request
  const sight = look(connection)
  const source = (compiled: CompiledCondition): HitSource => {
    return { condition: compiled, kinds, visibility, isSameBuild: sight.isSameBuild }
  }
  const unfiltered = source(compileCondition(condition, fields))
  const hits = filter
    ? source(compileCondition({ type: 'and', conditions: [condition, filter] }, fields))
    : unfiltered
  const order = hitOrder(request.sort, hits.condition.match, fields)
  const most = { ...limits, gathered: mostGathered(request, order, limits) }
  const { identity } = sight
  const { window } = request
  const cursor = 'after' in window ? readCursor(window.after, request, identity) : undefined
  const isWalked =
    request.facets.length === 0 && order.by !== 'score' && knownTotal(sight, hits) > limits.ranked
  const byColumns =
    columns && !isWalked && canGatherByColumns(request, order)
      ? gatherByColumns(connection, unfiltered, columns, sight.through, { request, order, cursor }, limits)
      : undefined
  const begun = performance.now()
  const gathered = byColumns?.total ?? gatherHits(connection, unfiltered, sight.last, most)
  const took = performance.now() - begun
  const isGathered = gathered === undefined ? {} : ({ isGathered: true } as const)
  const totalOf = (of: HitSource, known?: number) =>
    totalAt(sight, of, () =>
      known === undefined ? countSlices(connection, of, sight.last, limits) : { total: known, isExact: true },
    )
  const facets = countFacets(
    request.facets,
    [{ connection, source: { ...unfiltered, ...isGathered }, fields, last: sight.last, columns: byColumns }],
    limits,
    () => (gathered ?? totalOf(unfiltered).total) > limits.manyHits,
  )
  if (!byColumns && request.facets.length > 0 && totalOf(unfiltered, gathered).total >= limits.columnsFrom)
    keepColumns(connection, took)
  const left =
    gathered !== undefined && filter ? keepHits(connection, conditionSql(filter, fields)) : gathered
  const { total, isExact } = totalOf(hits, left)
  const pageOf = (limit: number) => {
    const shorter = { ...request, window: { ...request.window, limit } }
    const isPageGathered = byColumns?.isGathered === false ? {} : isGathered
    const from = { ...hits, ...isPageGathered, isWholeMatch: byColumns?.isWholeMatch }
    const known = {
      connection,
      source: from,
      order,
      cursor,
      identity,
      total,
      kept,
      limits,
      columns: byColumns,
    }
    return findPage({ ...known, request: shorter })
  }
  const whole = pageOf(request.window.limit)
  const { rows, taken } = rowsOf(connection, whole.hits, limits.pageBytes)
  // A page that ends early has its cursor behind its own last hit.
  const page = taken < whole.hits.length ? pageOf(taken) : whole
  return {
    rows,
    ...{ total, facets, commit: sight.commit, isCurrent: sight.isCurrent },
    totalIs: isExact ? ('exact' as const) : ('atLeast' as const),
    ...(page.next !== undefined && { next: page.next }),
    ...(page.ranked && { ranked: page.ranked }),
    notes: fields.notes(),
  }
}

/**
 * Milliseconds for which columns are read at once, at least and at most: a search waits for it. With 1,000,000 records all
 * take some seconds.
 */
const [leastAtOnce, mostAtOnce] = [50, 500]
/** As long as the searches that lack the columns. */
let atOnce = leastAtOnce

/**
 * Reads columns between searches.
 * @param milliseconds that a search needed without them: so long it may wait for a part of them
 */
function keepColumns(connection: Connection, milliseconds: number): void {
  atOnce = Math.min(mostAtOnce, Math.max(leastAtOnce, milliseconds))
  if (columns || isPlain) return
  const made = openHitColumns(connection)
  columns = made
  function readOn(): void {
    if (columns !== made) return
    if (!made.follow(look(connection).through, atOnce)) setImmediate(readOn)
  }
  setImmediate(readOn)
}

/** Most hits to gather for a search that reads its hits more than once. */
function mostGathered({ facets, window }: SearchRequest, order: HitOrder, limits: FindLimits): number {
  if (facets.length > 0) return limits.gathered
  return order.by === 'score' && 'offset' in window ? Math.min(limits.gathered, limits.ranked) : 0
}

/**
 * Totals of the index and the catalog as they are, by their queries: those of pages that follow are not counted again.
 */
const totals = new Map<string, HitTotal>()
let countedAt = ''
const mostTotals = 500

function totalKey({ state }: Sight, source: HitSource): string {
  if (countedAt !== state) totals.clear()
  countedAt = state
  const { sql, values } = hitsSql('count(*)', source)
  return JSON.stringify([sql, values])
}

/** The total of a search that was counted before; 0 for another one. */
function knownTotal(sight: Sight, source: HitSource): number {
  return totals.get(totalKey(sight, source))?.total ?? 0
}

function totalAt(sight: Sight, source: HitSource, count: () => HitTotal): HitTotal {
  const key = totalKey(sight, source)
  const total = totals.get(key) ?? count()
  if (totals.size >= mostTotals) totals.clear()
  totals.set(key, total)
  return total
}

function lateHighlights({ rows, documents, request }: HighlightJob): readonly (readonly Highlight[])[] {
  const end = performance.now() + longestHighlights
  return rows.map((row, at) =>
    performance.now() > end ? [] : highlightsOf(toRevision(row), documents[at], request),
  )
}

function suggest(job: SuggestJob): readonly string[] {
  const [run] = wordRuns(job.beginning, 'prefix').slice(-1)
  if (!run) return []
  const all = open(job)
  const { connection } = all
  return connection.transaction('DEFERRED', () => titles(connection, job.visibility, job))
}

function titles(
  connection: Connection,
  visibility: Visibility,
  { beginning, limit }: SuggestJob,
): readonly string[] {
  const runs = wordRuns(beginning, 'prefix')
  const text = `{title} : (${runs.map(run => phraseOf(run)).join(' AND ')})`
  const { isSameBuild } = look(connection)
  const source: HitSource = {
    condition: { match: { table: 'words', text }, sets: [], rest: plain('1'), isWhole: false },
    kinds: ['schema', 'metadata'],
    visibility,
    isSameBuild,
  }
  const tail = { sql: ` ORDER BY ${newestFirst(source)} LIMIT ?`, values: [mostSuggested] }
  // The title of the newest revision, which the caller may read.
  const { sql, values } = hitsSql('n.rev', source, {}, [], tail)
  const revision = connection.prepare<RevisionRow>(revisionSql)
  const found = new Map<string, string>()
  for (const [rev] of connection.prepare<readonly [rev: number]>(sql).all(...values)) {
    if (found.size >= limit) break
    const row = revision.get(rev)
    for (const { value } of row ? (toRevision(row).record.titles ?? []) : []) {
      const words = wordRuns(value, 'words').flatMap(({ words }) => words)
      const isMeant = runs.some(({ words: [first = ''] }) => words.some(word => word.startsWith(first)))
      if (isMeant && !found.has(value.toLowerCase())) found.set(value.toLowerCase(), value)
    }
  }
  return [...found.values()].slice(0, limit)
}

function answer(job: FindProcessJob): FindProcessResult {
  switch (job.do) {
    case 'find':
      return { page: find(job) }
    case 'suggest':
      return { titles: suggest(job) }
    case 'highlight':
      return { highlights: lateHighlights(job) }
  }
}

runJobLoop(answer)
