import { openCatalogFile } from '../../catalog/database/open-catalog-file.js'
import { type Connection, openToWrite } from '../../catalog/database/sqlite-connection.js'
import { type RevisionRow, revisionSql, toRevision } from '../../catalog/read/revision-row.js'
import { ProblemError } from '../../core/problem.js'
import type { DeclaredField } from '../../core/records/record.js'
import type { Id, Oid } from '../../core/value-types.js'
import { openPackReader, type PackReader } from '../../store/packs/pack-reader.js'
import { lowerPriority, runJobLoop } from '../../store/workers/job-loop.js'
import { maxDocumentBytes } from '../search/index/first-documents.js'
import { parseQueryText } from '../search/query-text/parse-query-text.js'
import { documentPrefix, type SearchCondition } from '../search/search-condition.js'
import { type Declarations, faultOf, type IndexedState, matchingStates } from './matching-states.js'
import type { CompareJob, SetsState, StoredSetJob } from './stored-set-jobs.js'
import {
  type ComparedSet,
  type MembershipRows,
  openMembershipRows,
  openStoredSetRows,
  type SetDefinition,
  type StoredSetRows,
} from './stored-set-rows.js'

/*
 * Compares each revision of the history with the sets that stored searches define; each job compares a part of the
 * revisions. Other processes may compare the same part: the transaction of a part checks that the sets have not changed
 * since they were read.
 */

/** Increased with every change to what a condition matches: all revisions are then compared with the sets again. */
const matchVersion = 7
/** Limit of the revisions of a part. */
const maxRows = 200
/** Bytes of documents after which a part ends. */
const maxBytes = 4 * 2 ** 20
/** Milliseconds without a job after which files are closed. */
const millisecondsUntilIdle = 5000

interface Opened {
  readonly catalog: Connection
  readonly sets: StoredSetRows
  readonly members: MembershipRows
  readonly packs: PackReader
}

let opened: Opened | undefined
const idle = setTimeout(disconnect, millisecondsUntilIdle).unref()

function open({ catalog: file, gitDir }: CompareJob): Opened {
  if (opened) return opened
  // A catalog file that is about to be rebuilt has no tables.
  const found = openCatalogFile(file)
  found?.close()
  if (!found)
    throw new ProblemError('unavailable', 'The catalog is being rebuilt. Try again.', { retryAfter: 2 })
  const catalog = openToWrite(file)
  opened = {
    catalog,
    sets: openStoredSetRows(catalog),
    members: openMembershipRows(catalog),
    packs: openPackReader(gitDir),
  }
  return opened
}

function disconnect(): void {
  opened?.packs.close()
  opened?.catalog.close()
  opened = undefined
}

/** A stored search, parsed. */
interface ParsedSearch extends SetDefinition {
  readonly condition: SearchCondition
  /** Why the search defines no set; undefined if it defines one. */
  readonly fault: string | undefined
}

/** The searches that were parsed last, by definition. */
let lastParsed: ReadonlyMap<string, ParsedSearch> = new Map()

function parsedSearches(
  { catalog, searches }: CompareJob,
  declarations: Declarations,
): readonly ParsedSearch[] {
  const parsed = searches.map(({ spec, q }): ParsedSearch => {
    const { condition } = parseQueryText(q)
    const declared = hasDeclaredField(condition) ? [...declarations] : []
    const definition = JSON.stringify([matchVersion, q, declared])
    const known = lastParsed.get(definition)
    const fault = known ? known.fault : faultOf(catalog, declarations, condition)
    return { spec, condition, definition, fault }
  })
  lastParsed = new Map(parsed.map(search => [search.definition, search]))
  return parsed
}

/** Whether the fields that schemas declare decide which revisions match the condition. */
function hasDeclaredField(condition: SearchCondition): boolean {
  switch (condition.type) {
    case 'and':
    case 'or':
      return condition.conditions.some(hasDeclaredField)
    case 'not':
      return hasDeclaredField(condition.condition)
    case 'range':
      return condition.field.startsWith(documentPrefix)
    default:
      return false
  }
}

function declarationsOf(catalog: Connection): Declarations {
  const schemas = catalog
    .prepare<readonly [id: string, fields: string]>(
      `SELECT n.id, json_extract(b.json, '$.search.fields') FROM newest n CROSS JOIN revision r ON r.rev = n.rev
       CROSS JOIN body b ON b.body = r.body
       WHERE n.kind = 'schema' AND json_extract(b.json, '$.search.fields') IS NOT NULL ORDER BY n.id`,
    )
    .all()
  return new Map(schemas.map(([id, fields]) => [id as Id, JSON.parse(fields) as readonly DeclaredField[]]))
}

interface Part {
  readonly identity: string
  /** The last revision of the catalog. */
  readonly last: number
  readonly declarations: Declarations
  /** The searches that define a set. */
  readonly searches: readonly ParsedSearch[]
  readonly faults: ReadonlyMap<string, string>
  readonly sets: readonly ComparedSet[]
  /** Row numbers: the sets that are furthest behind were compared up to `from`, and now are up to `through`. */
  readonly from: number
  readonly through: number
  readonly rows: readonly (readonly [rev: number, rid: number, standing: number, kind: string])[]
}

function partOf({ catalog, sets }: Opened, job: CompareJob): Part {
  return catalog.transaction('DEFERRED', () => {
    const [identity = '', last = 0] =
      catalog
        .prepare<readonly [string, number]>(
          'SELECT identity, (SELECT coalesce(max(rev), 0) FROM revision) FROM state',
        )
        .get() ?? []
    const declarations = declarationsOf(catalog)
    const parsed = parsedSearches(job, declarations)
    const known = sets.sets()
    const from = Math.min(last, ...known.map(({ through }) => through))
    const next = Math.min(last, ...known.flatMap(({ through }) => (through > from ? [through] : [])))
    const rows = catalog
      .prepare<readonly [rev: number, rid: number, standing: number, kind: string]>(
        `SELECT r.rev, r.rid, r.standing, c.kind FROM revision r CROSS JOIN record c ON c.rid = r.rid
         WHERE r.rev > ? AND r.rev <= ? ORDER BY r.rev LIMIT ?`,
      )
      .all(from, next, maxRows)
    return {
      identity,
      last,
      declarations,
      searches: parsed.filter(({ fault }) => fault === undefined),
      faults: new Map(parsed.flatMap(({ spec, fault }) => (fault === undefined ? [] : [[spec, fault]]))),
      sets: known,
      from,
      through: rows.length < maxRows ? next : (rows.at(-1)?.[0] ?? next),
      rows: rows.filter(([, , standing, kind]) => standing > 0 && kind === 'metadata'),
    }
  })
}

function compare(job: CompareJob): SetsState {
  idle.refresh()
  const all = open(job)
  const part = partOf(all, job)
  if (!areDefined(part)) {
    all.catalog.transaction('IMMEDIATE', () => all.sets.define(part.searches))
    return stateOf(part, { through: 0, more: true })
  }
  if (part.from === part.last) {
    const isRest = all.catalog.transaction('IMMEDIATE', all.sets.deleteRemoved)
    return stateOf(part, { through: part.last, more: isRest })
  }
  const read = readStates(all, job, part)
  if (read.missing.length > 0) return stateOf(part, { through: part.from, more: true, missing: read.missing })
  const behind = part.sets.filter(({ through }) => through === part.from)
  const searches = behind.flatMap(({ spec }) => part.searches.find(search => search.spec === spec) ?? [])
  const conditions = searches.map(({ condition }) => condition)
  const matches = matchingStates(job.catalog, part.declarations, read.states, conditions)
  const through = read.isWhole ? part.through : (read.rows.at(-1)?.[0] ?? part.from)
  all.catalog.transaction('IMMEDIATE', () => {
    const [identity] = all.catalog.prepare<readonly [string]>('SELECT identity FROM state').get() ?? []
    const now = JSON.stringify(all.sets.sets())
    // Another process has compared this part, or the catalog was rebuilt.
    if (identity !== part.identity || now !== JSON.stringify(part.sets)) return
    for (const [index, { number }] of behind.entries()) {
      for (const [rev, rid, standing] of read.rows)
        all.members.put(number, { rev, rid, isRemoval: standing === 2 }, matches[index]?.has(rev) ?? false)
      all.sets.setThrough(number, through)
    }
  })
  all.members.clear()
  return stateOf(part, { through: part.from, more: true })
}

function areDefined({ sets, searches }: Part): boolean {
  return (
    sets.length === searches.length &&
    searches.every(({ spec, definition }) =>
      sets.some(set => set.spec === spec && set.definition === definition),
    )
  )
}

/** Reads the revisions of a part with their documents, until the documents have {@link maxBytes}. */
function readStates({ catalog, packs }: Opened, job: CompareJob, { rows }: Part) {
  const revisionOf = catalog.prepare<RevisionRow>(revisionSql)
  const states: IndexedState[] = []
  const missing: Oid[] = []
  let bytes = 0
  let taken = 0
  packs.refresh()
  for (const [rev, , standing] of rows) {
    if (bytes > maxBytes) break
    const row = standing === 1 ? revisionOf.get(rev) : undefined
    if (row) {
      const revision = toRevision(row)
      const { document: oid } = revision
      const document = job.documents.get(oid) ?? packs.read(oid, maxDocumentBytes)?.bytes
      if (!document && !job.documents.has(oid)) {
        // The caller has read the first missing documents already. The others are read in the next part.
        if (job.documents.size > 0) break
        missing.push(oid)
      }
      states.push({ rev, revision, document })
      bytes += document?.length ?? 0
    }
    taken++
  }
  return { states, missing, rows: rows.slice(0, taken), isWhole: taken === rows.length }
}

function stateOf(
  { identity, sets, faults }: Part,
  { through, more, missing = [] }: { through: number; more: boolean; missing?: readonly Oid[] },
): SetsState {
  const numbers = new Map(sets.map(({ spec, number }) => [spec, number]))
  return { identity, through, numbers, faults, more, missing }
}

lowerPriority()

runJobLoop((job: StoredSetJob): SetsState | undefined => {
  if (job.do === 'compare') return compare(job)
  disconnect()
  return undefined
})
