import { existsSync } from 'node:fs'
import { type Connection, openToRead } from '../../catalog/database/sqlite-connection.js'
import { tableVersion } from '../../catalog/database/table-definitions.js'
import { type RevisionRow, revisionSql, toRevision } from '../../catalog/read/revision-row.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { Oid } from '../../core/value-types.js'
import { openPackReader, type PackReader } from '../../store/packs/pack-reader.js'
import { runJobLoop } from '../../store/process/thread-job-loop.js'
import type { SearchPlace } from '../index/index-thread-jobs.js'
import { type ProgressRow, progressSql, searchTableVersion } from '../index/search-tables.js'
import { type Highlight, largestSearchWindow, type SearchRequest } from '../search-engine.js'
import { type CompiledCondition, compileCondition } from './condition-sql.js'
import { countFacets } from './count-facets.js'
import { type FieldLookup, openFieldLookup } from './field-lookup.js'
import type { FindLimits } from './find-limits.js'
import { findPage, type PageHit } from './find-page.js'
import type {
  FindJob,
  FindThreadJob,
  FindThreadResult,
  FoundHit,
  FoundPage,
  HighlightJob,
  SuggestJob,
} from './find-thread-jobs.js'
import { highlightsOf } from './highlights.js'
import { hitOrder } from './hit-order.js'
import { type HitSource, hitsSql } from './hits-sql.js'
import { phraseOf, wordRuns } from './match-expression.js'
import { openKeptOrders } from './page-cursor.js'
import { plain } from './search-sql.js'

/*
 * Answers searches. libsql cannot interrupt a query, so that the work is bounded instead: counts and facets go slice by
 * slice and look at the time, and at most {@link FindLimits.ranked} hits are ranked.
 */

/** Milliseconds after which the number of hits becomes a lower bound. */
const longestCount = 1500
/** Milliseconds for the highlights of a page. */
const longestHighlights = 200
/** Largest document that is highlighted, in bytes. */
const largestDocument = 4 * 2 ** 20
/** Milliseconds without a job after which packs are closed, so that the disk space of deleted packs becomes free. */
const untilIdle = 5000
/** Longest beginning that titles are suggested for, in UTF-16 units. */
const longestBeginning = 1000
/** Newest titles that suggestions are taken from. */
const mostSuggested = 200
/** Page cache in KiB. */
const cachedPages = 32 * 1024

interface Opened {
  readonly place: SearchPlace
  readonly connection: Connection
  readonly fields: FieldLookup
  readonly packs: PackReader
}

let opened: Opened | undefined
const kept = openKeptOrders()
const idle = setTimeout(() => opened?.packs.close(), untilIdle).unref()

function open(place: SearchPlace): Opened {
  if (opened?.place.file === place.file) return opened
  disconnect()
  const connection = existsSync(place.file) ? openToRead(place.file, searchTableVersion) : undefined
  if (!connection)
    throw Object.assign(new Error('no such table: the index is missing'), { code: 'SQLITE_CORRUPT' })
  try {
    connection.exec('PRAGMA temp_store = MEMORY')
    connection.keepPages(cachedPages)
    connection.prepare('ATTACH DATABASE ? AS catalog').run(place.catalog)
    const version = connection.prepare<readonly [number]>('PRAGMA catalog.user_version').get()?.[0]
    if (version !== tableVersion) throw new Error('The catalog cannot be read as it is.')
    opened = {
      place,
      connection,
      fields: openFieldLookup(connection),
      packs: openPackReader(place.gitDir),
    }
    return opened
  } catch (thrown) {
    connection.close()
    throw thrown
  }
}

function disconnect(): void {
  opened?.packs.close()
  opened?.connection.close()
  opened = undefined
  totals.clear()
}

/** Index and catalog as one transaction sees them. */
interface Sight {
  readonly identity: string
  readonly isSameBuild: boolean
  readonly commit: Oid | undefined
  readonly isCurrent: boolean
  /** The last row of the index. */
  readonly last: number
  /** Differs if index or catalog differ. */
  readonly state: string
}

function look(connection: Connection): Sight {
  const [identity, through, commit] = connection.prepare<ProgressRow>(progressSql).get() ?? ['', 0, null]
  const [build, head, newest] = connection
    .prepare<readonly [string, string | null, number]>(
      'SELECT identity, head, (SELECT coalesce(max(rev), 0) FROM revision) FROM state',
    )
    .get() ?? ['', null, 0]
  const last =
    connection.prepare<readonly [number]>('SELECT coalesce(max(rev), 0) FROM indexed').get()?.[0] ?? 0
  return {
    identity,
    isSameBuild: identity === build,
    commit: (commit ?? undefined) as Oid | undefined,
    isCurrent: identity === build && commit === head && through >= newest,
    last,
    // A commit of another connection changes the version of its file.
    state: ['main', 'catalog']
      .map(name => connection.prepare<readonly [number]>(`PRAGMA ${name}.data_version`).get()?.[0])
      .join(),
  }
}

function find(job: FindJob): FoundPage {
  const { request } = job
  checkWindow(request)
  const all = open(job)
  const { connection } = all
  const { rows, ...page } = connection.transaction('DEFERRED', () => findRows(all, job))
  return { ...page, hits: withHighlights(all.packs, rows, request) }
}

function checkWindow({ window }: SearchRequest): void {
  const end = ('offset' in window ? window.offset : 0) + window.limit
  if (end <= largestSearchWindow) return
  throw malformedRequest(
    `The page ends after ${largestSearchWindow} records: follow the cursor of each page, or make the query narrower.`,
  )
}

function findRows({ connection, fields }: Opened, { request, visibility, limits }: FindJob) {
  const { condition, filter, kinds } = request
  const sight = look(connection)
  const source = (compiled: CompiledCondition): HitSource => {
    return { condition: compiled, kinds, visibility, isSameBuild: sight.isSameBuild }
  }
  const unfiltered = source(compileCondition(condition, fields))
  const hits = filter
    ? source(compileCondition({ type: 'and', conditions: [condition, filter] }, fields))
    : unfiltered
  const order = hitOrder(request.sort, hits.condition.match !== undefined, fields)
  const { total, isExact } = countHits(connection, hits, sight, limits)
  const facets = countFacets(connection, request.facets, unfiltered, fields, sight.last, limits, () => {
    const all = filter ? countHits(connection, unfiltered, sight, limits).total : total
    return all > limits.manyHits
  })
  const { identity } = sight
  const pageOf = (limit: number) => {
    const shorter = { ...request, window: { ...request.window, limit } }
    return findPage({ connection, request: shorter, source: hits, order, identity, total, kept, limits })
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
  }
}

/**
 * The rows of hits, as many as have this size together, but one at least.
 * @returns the number of hits that they are of
 */
function rowsOf(connection: Connection, hits: readonly PageHit[], mostBytes: number) {
  const revision = connection.prepare<RevisionRow>(revisionSql)
  const rows: Omit<FoundHit, 'highlights'>[] = []
  let bytes = 0
  let taken = 0
  for (const { newest, score } of hits) {
    const row = revision.get(newest)
    const [, , , , , , json] = row ?? []
    bytes += json?.length ?? 0
    if (bytes > mostBytes && rows.length > 0) break
    taken++
    if (row) rows.push({ row, ...(score !== undefined && { score: -score }) })
  }
  return { rows, taken }
}

interface Total {
  readonly total: number
  readonly isExact: boolean
}

/**
 * Totals of the index and the catalog as they are, by their queries: those of pages that follow are not counted again.
 */
const totals = new Map<string, Total>()
let countedAt = ''
const mostTotals = 500

function countHits(connection: Connection, source: HitSource, sight: Sight, limits: FindLimits): Total {
  if (countedAt !== sight.state) totals.clear()
  countedAt = sight.state
  const { sql, values } = hitsSql('count(*)', source)
  const key = JSON.stringify([sql, values])
  const total = totals.get(key) ?? countSlices(connection, source, sight.last, limits)
  if (totals.size >= mostTotals) totals.clear()
  totals.set(key, total)
  return total
}

function countSlices(
  connection: Connection,
  source: HitSource,
  last: number,
  { slice, ranked }: FindLimits,
): Total {
  const end = performance.now() + longestCount
  let total = 0
  for (let most = last, size = slice; most > 0; most -= size) {
    if (performance.now() > end) {
      if (total > ranked) return { total, isExact: false }
      // What costs the time is the same for each slice: the rest is counted at once.
      size = most
    }
    const { sql, values } = hitsSql('count(*)', source, { least: most - size + 1, most })
    total += connection.prepare<readonly [number]>(sql).get(...values)?.[0] ?? 0
  }
  return { total, isExact: true }
}

function withHighlights(
  packs: PackReader,
  rows: readonly { readonly row: RevisionRow; readonly score?: number }[],
  request: SearchRequest,
): readonly FoundHit[] {
  if (request.highlight === false) return rows.map(row => ({ ...row, highlights: [] }))
  idle.refresh()
  packs.look()
  const end = performance.now() + longestHighlights
  return rows.map(hit => {
    if (performance.now() > end) return { ...hit, highlights: [] }
    const revision = toRevision(hit.row)
    const document = packs.read(revision.document, largestDocument)?.bytes
    return { ...hit, highlights: document && highlightsOf(revision, document, request) }
  })
}

function lateHighlights({ rows, documents, request }: HighlightJob): readonly (readonly Highlight[])[] {
  const end = performance.now() + longestHighlights
  return rows.map((row, at) =>
    performance.now() > end ? [] : highlightsOf(toRevision(row), documents[at], request),
  )
}

function suggest(job: SuggestJob): readonly string[] {
  if (job.beginning.length > longestBeginning)
    throw malformedRequest(`Titles are suggested for at most ${longestBeginning} characters.`)
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
  const match = `{title} : (${runs.map(run => phraseOf(run)).join(' AND ')})`
  const { isSameBuild } = look(connection)
  const source: HitSource = {
    condition: { match, rest: plain('1') },
    kinds: ['schema', 'metadata'],
    visibility,
    isSameBuild,
  }
  const tail = { sql: ' ORDER BY words.rowid DESC LIMIT ?', values: [mostSuggested] }
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

function answer(job: Exclude<FindThreadJob, { do: 'disconnect' }>): FindThreadResult {
  switch (job.do) {
    case 'find':
      return { page: find(job) }
    case 'suggest':
      return { titles: suggest(job) }
    case 'highlight':
      return { highlights: lateHighlights(job) }
  }
}

runJobLoop((job: FindThreadJob): FindThreadResult => {
  if (job.do === 'disconnect') {
    disconnect()
    return { done: true }
  }
  try {
    return answer(job)
  } catch (thrown) {
    if (thrown instanceof ProblemError && thrown.kind === 'malformed-request')
      return { refusal: thrown.message }
    throw thrown
  }
})
