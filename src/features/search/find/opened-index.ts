import { existsSync } from 'node:fs'
import { type Connection, openToRead } from '../../../catalog/database/sqlite-connection.js'
import { tableVersion } from '../../../catalog/database/table-definitions.js'
import { type RevisionRow, revisionSql, toRevision } from '../../../catalog/read/revision-row.js'
import { malformedRequest } from '../../../core/problem.js'
import type { Visibility } from '../../../core/records/list-query.js'
import type { Oid } from '../../../core/value-types.js'
import { openPackReader, type PackReader } from '../../../store/packs/pack-reader.js'
import type { SearchPlace } from '../index/index-thread-jobs.js'
import { type ProgressRow, progressSql, searchTableVersion } from '../index/search-tables.js'
import { highlightsOf } from '../match-words/highlights.js'
import { maxSearchWindow, type SearchRequest } from '../search-engine.js'
import type { FieldLookup } from './compile-condition.js'
import { openFieldLookup } from './field-lookup.js'
import type { FindLimits, FoundHit } from './find-jobs.js'
import { type HitSource, hitsSql } from './hits-sql.js'

/** Limit of the milliseconds for the highlights of a page. */
export const maxHighlightMilliseconds = 200
/** Limit of the bytes of a document for highlights: larger documents have none. */
const maxDocumentBytes = 4 * 2 ** 20
/** Sizes of SQLite's page caches, in KiB. */
const indexCacheSize = 32 * 1024
const catalogCacheSize = 16 * 1024

/** An index that a process has opened, and what it needs to read the index. */
export interface OpenedIndex {
  readonly place: SearchPlace
  /** Connection to the index, with the catalog attached. */
  readonly connection: Connection
  readonly fieldsSeenBy: (visibility: Visibility) => FieldLookup
  readonly packs: PackReader
}

/** @throws an error with the code `SQLITE_CORRUPT` if there is no index */
export function openIndex(place: SearchPlace): OpenedIndex {
  const connection = existsSync(place.file) ? openToRead(place.file, searchTableVersion) : undefined
  if (!connection)
    throw Object.assign(new Error('no such table: the index is missing'), { code: 'SQLITE_CORRUPT' })
  try {
    connection.keepPages(indexCacheSize)
    attachCatalog(connection, place)
    const fieldsSeenBy = openFieldLookup(connection)
    return { place, connection, fieldsSeenBy, packs: openPackReader(place.gitDir) }
  } catch (thrown) {
    connection.close()
    throw thrown
  }
}

/** Attaches the catalog to a connection to an index. */
export function attachCatalog(connection: Connection, { catalog }: Pick<SearchPlace, 'catalog'>): void {
  connection.exec('PRAGMA temp_store = MEMORY')
  connection.prepare('ATTACH DATABASE ? AS catalog').run(catalog)
  connection.exec(`PRAGMA catalog.cache_size = -${catalogCacheSize}`)
  const version = connection.prepare<readonly [number]>('PRAGMA catalog.user_version').get()?.[0]
  if (version !== tableVersion) throw new Error('The catalog cannot be read as it is.')
}

/** Index and catalog as one transaction sees them. */
export interface IndexState {
  readonly identity: string
  readonly isSameBuild: boolean
  readonly commit: Oid | undefined
  readonly isCurrent: boolean
  /** The last revision that the index reflects. */
  readonly through: number
  /** The last row of the index. */
  readonly last: number
}

export function readIndexState(connection: Connection): IndexState {
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
    through,
    last,
  }
}

/** @throws ProblemError `malformed-request` for a page that is too deep */
export function checkWindow({ window }: SearchRequest): void {
  const end = ('offset' in window ? window.offset : 0) + window.limit
  if (end <= maxSearchWindow) return
  throw malformedRequest(
    `The page ends after ${maxSearchWindow} records: follow the cursor of each page, or make the query narrower.`,
  )
}

/** A hit: its row in the index, and the row of its newest revision in the catalog. */
export interface PageHit {
  readonly rev: number
  readonly newest: number
  readonly score?: number
}

/**
 * The rows of the first hits: as many as have `maxBytes` characters together, but at least one.
 * @returns `rows`, and the number `taken` of the hits that they belong to
 */
export function readRows(connection: Connection, hits: readonly PageHit[], maxBytes: number) {
  const revision = connection.prepare<RevisionRow>(revisionSql)
  const rows: Omit<FoundHit, 'highlights'>[] = []
  let bytes = 0
  let taken = 0
  for (const { newest, score } of hits) {
    const row = revision.get(newest)
    const [, , , , , , json] = row ?? []
    bytes += json?.length ?? 0
    if (bytes > maxBytes && rows.length > 0) break
    taken++
    if (row) rows.push({ row, ...(score !== undefined && { score: -score }) })
  }
  return { rows, taken }
}

/** A number of hits; if it is not exact, there may be more. */
export interface HitTotal {
  readonly total: number
  readonly isExact: boolean
}

/** Counts hits slice by slice, until the time is over. @param last the last row of the index */
export function countSlices(
  connection: Connection,
  source: HitSource,
  last: number,
  { slice, ranked, countTime }: FindLimits,
): HitTotal {
  const end = performance.now() + countTime
  let total = 0
  for (let max = last, size = slice; max > 0; max -= size) {
    if (max < last && performance.now() > end) {
      if (total > ranked) return { total, isExact: false }
      // A slice takes about as long whatever its size: the rest is counted as one slice.
      size = max
    }
    const { sql, values } = hitsSql('count(*)', source, { min: max - size + 1, max })
    total += connection.prepare<readonly [number]>(sql).get(...values)?.[0] ?? 0
  }
  return { total, isExact: true }
}

/** Adds the highlights of those documents that are in packs. */
export function withHighlights(
  packs: PackReader,
  rows: readonly { readonly row: RevisionRow; readonly score?: number }[],
  request: SearchRequest,
): readonly FoundHit[] {
  if (request.highlight === false) return rows.map(row => ({ ...row, highlights: [] }))
  packs.refresh()
  const end = performance.now() + maxHighlightMilliseconds
  return rows.map(hit => {
    if (performance.now() > end) return { ...hit, highlights: [] }
    const revision = toRevision(hit.row)
    const document = packs.read(revision.document, maxDocumentBytes)?.bytes
    return { ...hit, highlights: document && highlightsOf(revision, document, request) }
  })
}
