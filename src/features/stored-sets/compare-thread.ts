import { openCatalogFile } from '../../catalog/database/open-catalog-file.js'
import { type Connection, openToWrite } from '../../catalog/database/sqlite-connection.js'
import { type RevisionRow, revisionSql, toRevision } from '../../catalog/read/revision-row.js'
import { ProblemError } from '../../core/problem.js'
import type { DeclaredField } from '../../core/records/record.js'
import type { Id, Oid } from '../../core/value-types.js'
import { openPackReader, type PackReader } from '../../store/packs/pack-reader.js'
import { lowerPriority, runJobLoop } from '../../store/workers/job-loop.js'
import { maxDocumentBytes } from '../search/index/first-documents.js'
import {
  type DescribeRecord,
  loadDescribeModule,
  openAuthorReader,
} from '../search/index/load-describe-module.js'
import { parseQueryText } from '../search/query-text/parse-query-text.js'
import { documentPrefix, leavesOf, type SearchCondition } from '../search/search-condition.js'
import {
  type Comparison,
  type Declarations,
  faultOf,
  type IndexedState,
  matchingStates,
} from './matching-states.js'
import { isDescribed, openSchemaStatementRows } from './schema-statement-rows.js'
import type { CompareJob, SetsState, StoredSetJob } from './stored-set-jobs.js'
import {
  type ComparedSet,
  type MembershipRows,
  openMembershipRows,
  openStoredSetRows,
  type SetDefinition,
  type SetProgress,
  type StoredSetRows,
} from './stored-set-rows.js'

/*
 * Compares each revision of the history with the sets that stored searches define; each job compares a part of the
 * revisions. Other processes may compare the same part: the transaction of a part checks that the sets have not changed
 * since they were read.
 */

/**
 * Increased with every change to what a condition matches, also to what documents say about themselves: all revisions are
 * then compared with the sets again.
 */
const matchVersion = 11
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
  readonly statements: ReturnType<typeof openSchemaStatementRows>
  readonly packs: PackReader
  readonly describe: DescribeRecord
}

let opened: Opened | undefined
const idle = setTimeout(disconnect, millisecondsUntilIdle).unref()

async function open({ catalog: file, gitDir, describeModule }: CompareJob): Promise<Opened> {
  if (opened) return opened
  // A catalog file that is about to be rebuilt has no tables.
  const found = openCatalogFile(file)
  found?.close()
  if (!found)
    throw new ProblemError('unavailable', 'The catalog is being rebuilt. Try again.', { retryAfter: 2 })
  const catalog = openToWrite(file)
  const packs = openPackReader(gitDir)
  const { describe, saidBySchema } = await loadDescribeModule(
    describeModule,
    openAuthorReader(catalog, packs),
  )
  opened = {
    catalog,
    sets: openStoredSetRows(catalog),
    members: openMembershipRows(catalog),
    statements: openSchemaStatementRows(catalog, saidBySchema, oid => readOfSchema(packs, oid)),
    packs,
    describe,
  }
  return opened
}

/** The documents that the caller has read for this job, and those of schemas that it has to read. */
let ofJob: { readonly documents: CompareJob['documents']; readonly missing: Oid[] }

function readOfSchema(packs: PackReader, oid: Oid): Uint8Array | null | undefined {
  if (ofJob.documents.has(oid)) return ofJob.documents.get(oid) ?? null
  const bytes = packs.read(oid, maxDocumentBytes)?.bytes
  if (!bytes) ofJob.missing.push(oid)
  return bytes
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
  /** Whether it depends on what documents say about themselves. */
  readonly isDescribed: boolean
}

/** The searches that were parsed last, by definition. */
let lastParsed: ReadonlyMap<string, ParsedSearch> = new Map()

function parsedSearches(
  { catalog, searches }: CompareJob,
  declarations: Declarations,
  { describe }: Opened,
): readonly ParsedSearch[] {
  const parsed = searches.map(({ spec, q }): ParsedSearch => {
    const { condition } = parseQueryText(q)
    const declared = hasDeclaredField(condition) ? [...declarations] : []
    const definition = JSON.stringify([matchVersion, q, declared])
    const known = lastParsed.get(definition)
    const fault = known
      ? known.fault
      : faultOf({ catalog, schemas: schemasOf(declarations), describe }, condition)
    return { spec, condition, definition, fault, isDescribed: isDescribed(condition) }
  })
  lastParsed = new Map(parsed.map(search => [search.definition, search]))
  return parsed
}

/** Whether the fields that schemas declare decide which revisions match the condition. */
function hasDeclaredField(condition: SearchCondition): boolean {
  return leavesOf(condition).some(leaf => leaf.type === 'range' && leaf.field.startsWith(documentPrefix))
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

function schemasOf(declarations: Declarations): Comparison['schemas'] {
  return new Map([...declarations].map(([schema, fields]) => [schema, { fields, said: undefined }]))
}

/** A state of a record that is compared with the sets. */
interface PartRow {
  readonly rid: number
  /** The revision of the record. */
  readonly rev: number
  readonly change: 'stored' | 'removed' | 'schema'
  /** How far the sets were compared after this row. */
  readonly after: SetProgress
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
  /** The sets that are furthest behind, and how far they are. */
  readonly behind: readonly ComparedSet[]
  readonly from: SetProgress
  readonly rows: readonly PartRow[]
  /** How far the sets are after all rows. */
  readonly to: SetProgress
  /** The revision at which schemas said what documents are described with. */
  readonly upTo: number
}

function partOf(all: Opened, job: CompareJob): Part {
  const { catalog, sets } = all
  return catalog.transaction('DEFERRED', () => {
    const [identity = '', last = 0] =
      catalog
        .prepare<readonly [string, number]>(
          'SELECT identity, (SELECT coalesce(max(rev), 0) FROM revision) FROM state',
        )
        .get() ?? []
    const declarations = declarationsOf(catalog)
    const parsed = parsedSearches(job, declarations, all)
    const known = sets.sets()
    const [{ through, done } = { through: last, done: 0 }] = known.toSorted(
      (one, other) => one.through - other.through || one.done - other.done,
    )
    const from = { through: Math.min(last, through), done }
    const behind = known.filter(set => set.through === through && set.done === done)
    const next = Math.min(last, ...known.map(set => set.through).filter(each => each > through))
    const isAnyDescribed = parsed.some(
      search => search.isDescribed && behind.some(({ spec }) => spec === search.spec),
    )
    return {
      ...{ identity, last, declarations, sets: known, behind, from },
      searches: parsed.filter(({ fault }) => fault === undefined),
      faults: new Map(parsed.flatMap(({ spec, fault }) => (fault === undefined ? [] : [[spec, fault]]))),
      ...rowsAfter(all, from, next, isAnyDescribed),
    }
  })
}

/**
 * The rows of the next part: either revisions of metadata, or documents of a schema that says something else about them.
 * @param next the last revision of the part
 * @param isAnyDescribed whether it matters what schemas say
 */
function rowsAfter(
  { catalog, statements }: Opened,
  from: SetProgress,
  next: number,
  isAnyDescribed: boolean,
): Pick<Part, 'rows' | 'to' | 'upTo'> {
  const found = catalog
    .prepare<readonly [rev: number, rid: number, standing: number, kind: string]>(
      `SELECT r.rev, r.rid, r.standing, c.kind FROM revision r CROSS JOIN record c ON c.rid = r.rid
       WHERE r.rev > ? AND r.rev <= ? ORDER BY r.rev LIMIT ?`,
    )
    .all(from.through, next, maxRows)
  const change = !isAnyDescribed
    ? -1
    : found.findIndex(
        ([rev, rid, standing, kind]) => kind === 'schema' && standing === 1 && statements.isChange(rid, rev),
      )
  const [upTo = 0, schema = 0] = found[0] ?? []
  if (change === 0) {
    const { rows, last } = statements.followers(schema, upTo, from.done, maxRows)
    return {
      rows: rows.map(([rev, rid]) => ({ rid, rev, change: 'schema', after: { ...from, done: rid } })),
      to: last === undefined ? { through: upTo, done: 0 } : { ...from, done: last },
      upTo,
    }
  }
  const before = change < 0 ? found : found.slice(0, change)
  const isEnd = change < 0 && found.length < maxRows
  const through = isEnd ? next : (before.at(-1)?.[0] ?? next)
  const rows = before.flatMap(([rev, rid, standing, kind]): readonly PartRow[] =>
    standing === 0 || kind !== 'metadata'
      ? []
      : [{ rid, rev, change: standing === 1 ? 'stored' : 'removed', after: { through: rev, done: 0 } }],
  )
  return { rows, to: { through, done: 0 }, upTo: through }
}

async function compare(job: CompareJob): Promise<SetsState> {
  idle.refresh()
  const all = await open(job)
  ofJob = { documents: job.documents, missing: [] }
  const part = partOf(all, job)
  const { from, behind } = part
  const waiting = (missing: readonly Oid[]) => stateOf(part, { through: from.through, more: true, missing })
  if (ofJob.missing.length > 0) return waiting(ofJob.missing)
  if (!areDefined(part)) {
    all.catalog.transaction('IMMEDIATE', () => all.sets.define(part.searches))
    return stateOf(part, { through: 0, more: true })
  }
  if (from.through === part.last) {
    const isRest = all.catalog.transaction('IMMEDIATE', all.sets.deleteRemoved)
    return stateOf(part, { through: part.last, more: isRest })
  }
  const read = readStates(all, job, part)
  const comparison = comparisonOf(all, job, part, read.states)
  // Those of schemas first: what they say is remembered, so that the next job needs the others only.
  const missing = [...ofJob.missing, ...read.missing]
  if (missing.length > 0) return waiting(missing)
  const searches = behind.flatMap(({ spec }) => part.searches.find(search => search.spec === spec) ?? [])
  const conditions = searches.map(({ condition }) => condition)
  const matches = matchingStates(comparison, read.states, conditions)
  const to = read.isWhole ? part.to : (read.rows.at(-1)?.after ?? from)
  all.catalog.transaction('IMMEDIATE', () => {
    const [identity] = all.catalog.prepare<readonly [string]>('SELECT identity FROM state').get() ?? []
    const now = JSON.stringify(all.sets.sets())
    // Another process has compared this part, or the catalog was rebuilt.
    if (identity !== part.identity || now !== JSON.stringify(part.sets)) return
    for (const [index, { number }] of behind.entries()) {
      for (const { rid, rev, change } of read.rows) {
        const at = change === 'schema' ? part.upTo : rev
        all.members.put(number, { rev: at, rid, change }, matches[index]?.has(rev) ?? false)
      }
      all.sets.setProgress(number, to)
    }
  })
  all.members.clear()
  return stateOf(part, { through: from.through, more: true })
}

/** What the states of a part are compared with: the declarations of today, and what schemas said at that time. */
function comparisonOf(
  { statements, describe }: Opened,
  { catalog }: CompareJob,
  { declarations, upTo }: Part,
  states: readonly IndexedState[],
): Comparison {
  const schemas = new Map(schemasOf(declarations))
  for (const id of new Set(states.flatMap(({ revision }) => revision.record.schema?.schemaId ?? []))) {
    const said = statements.saidBy(id, upTo)
    if (said !== undefined) schemas.set(id, { fields: schemas.get(id)?.fields ?? [], said })
  }
  return { catalog, schemas, describe }
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
  for (const { rev, change } of rows) {
    if (bytes > maxBytes) break
    const row = change === 'removed' ? undefined : revisionOf.get(rev)
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

runJobLoop(async (job: StoredSetJob): Promise<SetsState | undefined> => {
  if (job.do === 'compare') return await compare(job)
  disconnect()
  return undefined
})
