import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { type RevisionRow, revisionSql, toRevision } from '../../../catalog/read/revision-row.js'
import { defaultTitles } from '../../../core/records/record.js'
import { raiseNicenessOfProcess } from '../../../core/scheduling/niceness.js'
import { runJobLoop } from '../../../store/workers/job-loop.js'
import type { SearchPlace } from '../index/index-thread-jobs.js'
import { recordPath } from '../index/search-tables.js'
import { highlightsOf } from '../match-words/highlights.js'
import { phraseOf, type WordRun, wordRuns } from '../match-words/match-expression.js'
import type { Highlight } from '../search-engine.js'
import { conditionSql, plain } from './compile-condition.js'
import {
  type FindJob,
  type FindProcessJob,
  type FindProcessResults,
  type FoundHits,
  type HighlightJob,
  type SuggestJob,
  searchNiceness,
} from './find-jobs.js'
import { findRows } from './find-page.js'
import { type HitSource, hitsSql, newestFirst } from './hits-sql.js'
import {
  checkWindow,
  maxHighlightMilliseconds,
  type OpenedIndex,
  openIndex,
  readIndexState,
  withHighlights,
} from './opened-index.js'

/*
 * Answers searches, in a process of its own. Totals are counted in slices of the index until their time is over. The
 * newest hits are ranked by score and counted by facets, up to the numbers in {@link FindLimits}.
 */

/** Milliseconds without a job after which packs are closed, so that the disk space of deleted packs becomes free. */
const millisecondsUntilIdle = 5000
/** Limit of the newest matching records whose titles are suggested. */
const maxTitles = 200

let opened: OpenedIndex | undefined
const idle = setTimeout(() => opened?.packs.close(), millisecondsUntilIdle).unref()

/** Opens an index, unless it is open. Closes the index that was open before. */
function switchTo(place: SearchPlace): OpenedIndex {
  if (opened?.place.file === place.file) return opened
  opened?.packs.close()
  opened?.connection.close()
  opened = undefined
  opened = openIndex(place)
  return opened
}

function find(job: FindJob): FoundHits {
  const { request } = job
  checkWindow(request)
  const index = switchTo(job)
  const { rows, ...page } = index.connection.transaction('DEFERRED', () => findRows(index, job))
  idle.refresh()
  return { ...page, hits: withHighlights(index.packs, rows, request) }
}

function lateHighlights({ rows, documents, request }: HighlightJob): readonly (readonly Highlight[])[] {
  const end = performance.now() + maxHighlightMilliseconds
  return rows.map((row, index) =>
    performance.now() > end ? [] : highlightsOf(toRevision(row), documents[index], request),
  )
}

function suggest(job: SuggestJob): readonly string[] {
  const runs = wordRuns(job.request.beginning, 'prefix')
  if (runs.length === 0) return []
  const index = switchTo(job)
  return index.connection.transaction('DEFERRED', () => titles(index, job, runs))
}

function titles(
  { connection, fieldsSeenBy }: OpenedIndex,
  { visibility, request }: SuggestJob,
  runs: readonly WordRun[],
): readonly string[] {
  const { limit, kinds, condition } = request
  const match = `{title} : (${runs.map(run => phraseOf(run)).join(' AND ')})`
  const rest = condition ? conditionSql(condition, fieldsSeenBy(visibility)) : plain('1')
  const { isSameBuild } = readIndexState(connection)
  const source: HitSource = {
    condition: { match, isScored: false, rest },
    kinds,
    visibility,
    isSameBuild,
  }
  const tail = { sql: `${newestFirst(source)} LIMIT ?`, values: [maxTitles] }
  // The title of the newest revision, which the caller may read.
  const { sql, values } = hitsSql('n.rev, f.rev, f.facets', source, { tail })
  const revision = connection.prepare<RevisionRow>(revisionSql)
  const found = new Map<string, string>()
  const rows = connection.prepare<readonly [rev: number, indexed: number, facets: string]>(sql).all(...values)
  for (const [rev, indexed, facets] of rows) {
    if (found.size >= limit) break
    const row = revision.get(rev)
    const stored = row && toRevision(row).record.titles?.map(({ value }) => value)
    for (const value of stored ?? (rev === indexed ? indexedTitles(connection, facets) : [])) {
      const words = wordRuns(value, 'words').flatMap(({ words }) => words)
      const isMeant = runs.some(({ words: [first = ''] }) => words.some(word => word.startsWith(first)))
      if (isMeant && !found.has(value.toLowerCase())) found.set(value.toLowerCase(), value)
    }
  }
  return [...found.values()].slice(0, limit)
}

/** The titles that the document of a record gave to the index. @param facets of its row */
function indexedTitles(connection: Connection, facets: string): readonly string[] {
  return connection
    .prepare<readonly [text: string]>(
      `SELECT v.text FROM path p CROSS JOIN json_each(?, '$."' || p.path || '"') each
       CROSS JOIN value v ON v.value = each.value WHERE p.name = ?`,
    )
    .all(facets, recordPath('title'))
    .flatMap(([text]) => (defaultTitles.some(({ value }) => value === text) ? [] : [text]))
}

function answer(job: FindProcessJob): FindProcessResults[FindProcessJob['do']] {
  switch (job.do) {
    case 'find':
      return find(job)
    case 'suggest':
      return suggest(job)
    case 'highlight':
      return lateHighlights(job)
  }
}

raiseNicenessOfProcess(searchNiceness)

runJobLoop(answer)
