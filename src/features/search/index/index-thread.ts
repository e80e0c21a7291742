import { isDeepStrictEqual } from 'node:util'
import { openCatalogInThread } from '../../../catalog/database/open-catalog-file.js'
import { type Connection, openToWrite } from '../../../catalog/database/sqlite-connection.js'
import { type RevisionRow, revisionSql, toRevision } from '../../../catalog/read/revision-row.js'
import type { Revision } from '../../../core/records/revision.js'
import type { Oid } from '../../../core/value-types.js'
import { openPackReader, type PackReader } from '../../../store/packs/pack-reader.js'
import { lowerPriority, runJobLoop } from '../../../store/workers/job-loop.js'
import { maxDocumentBytes } from './first-documents.js'
import { type IndexRows, openIndexRows, type PendingSchema } from './index-rows.js'
import type { IndexJob, IndexState, IndexThreadJob } from './index-thread-jobs.js'
import { type Describer, loadDescribeModule, openAuthorReader } from './load-describe-module.js'
import { type ProgressRow, progressSql } from './search-tables.js'

/*
 * Brings the index up to date with the catalog; each job indexes a part of the revisions. Other processes may index the
 * same part: the transaction of a part checks that the index has not changed since it was read.
 */

/** Limit of the revisions of a part. */
const maxRows = 1000
/** Bytes of documents after which a part ends. */
const maxBytes = 8 * 2 ** 20
/** Milliseconds after which a part ends. */
const maxMilliseconds = 300
/** Milliseconds without a job after which packs are closed, so that the disk space of deleted packs becomes free. */
const millisecondsUntilIdle = 5000

interface Opened {
  readonly index: Connection
  readonly rows: IndexRows
  readonly catalog: Connection
  readonly packs: PackReader
  readonly saidBySchema: Describer['saidBySchema']
}

/**
 * Limit of the revisions of the next part, at most {@link maxRows}. It follows the time that parts need, because what a
 * part has read but has no time to write is read again by the next part.
 */
let rowsAtOnce = maxRows

let opened: Opened | undefined
const idle = setTimeout(() => opened?.packs.close(), millisecondsUntilIdle).unref()

async function open({ file, catalog: catalogFile, gitDir, describeModule }: IndexJob): Promise<Opened> {
  if (opened) return opened
  const catalog = openCatalogInThread(catalogFile)
  const packs = openPackReader(gitDir)
  const { describe, saidBySchema } = await loadDescribeModule(
    describeModule,
    openAuthorReader(catalog, packs),
  )
  const index = openToWrite(file)
  // The index is derived: if a crash of the machine damages it, it is rebuilt.
  index.exec('PRAGMA synchronous = OFF')
  index.exec('PRAGMA wal_autocheckpoint = 4000')
  opened = {
    index,
    rows: openIndexRows(index, describe),
    catalog,
    packs,
    saidBySchema,
  }
  return opened
}

function disconnect(): void {
  opened?.packs.close()
  opened?.catalog.close()
  opened?.index.close()
  opened = undefined
}

/** A record to index: the row and the content of its newest revision. Undefined: the record is gone. */
interface Planned {
  readonly rid: number
  readonly newest: { readonly rev: number; readonly revision: Revision } | undefined
}

interface Plan {
  readonly identity: string
  readonly head: string | null
  readonly last: number
  readonly progress: ProgressRow
  readonly records: readonly Planned[]
  /** The limit of `records`. */
  readonly limit: number
  /** The schema whose records are indexed again, because it declares other fields. */
  readonly pending: PendingSchema | undefined
  /** The rows of these records that are indexed again. */
  readonly again: readonly number[]
  /** The last revision of this part. */
  readonly through: number
  /** The commit that the index reflects after this part. */
  readonly reached: string | null
}

function planOf({ index, rows, catalog }: Opened, limit: number): Plan {
  const progress = index.prepare<ProgressRow>(progressSql).get()
  if (!progress) throw new Error('The search index has no progress.')
  const [, before] = progress
  return catalog.transaction('DEFERRED', () => {
    const [identity, head, last] = catalog
      .prepare<readonly [string, string | null, number]>(
        'SELECT identity, head, (SELECT coalesce(max(rev), 0) FROM revision) FROM state',
      )
      .get() ?? ['', null, 0]
    // Each record is indexed once, by the last of its revisions in this part.
    const changed = catalog
      .prepare<readonly [rev: number, rid: number, newest: number | null]>(
        `SELECT c.rev, c.rid, n.rev FROM revision c LEFT JOIN newest n ON n.rid = c.rid
         WHERE c.rev > ? ORDER BY c.rev LIMIT ?`,
      )
      .all(before, limit)
    const pending = changed.length === 0 ? rows.pending() : undefined
    const again = pending ? rows.rowsOf(pending, limit) : []
    const newest = new Map(changed.map(([, rid, rev]) => [rid, rev]))
    const newestRev = catalog.prepare<readonly [rev: number]>('SELECT rev FROM newest WHERE rid = ?')
    for (const [, rid] of again) newest.set(rid, newestRev.get(rid)?.[0] ?? null)
    const revisionOf = catalog.prepare<RevisionRow>(revisionSql)
    const records = [...newest].flatMap(([rid, rev]): Planned[] => {
      if (rev === null) return [{ rid, newest: undefined }]
      // An earlier part has indexed the newest revision already.
      if (again.length === 0 && rows.revOf(rid) === rev) return []
      const row = revisionOf.get(rev)
      return row ? [{ rid, newest: { rev, revision: toRevision(row) } }] : []
    })
    const through = changed.at(-1)?.[0] ?? before
    const reached = through >= last ? head : commitAt(catalog, through)
    const planned = { identity, head, last, progress, records, limit, through, reached }
    return { ...planned, pending, again: again.map(([rev]) => rev) }
  })
}

/** The last commit whose revisions all have row numbers up to `rev`; null if there is none. */
function commitAt(catalog: Connection, rev: number): string | null {
  const place = catalog
    .prepare<readonly [sequence: number]>('SELECT sequence FROM revision WHERE rev = ?')
    .get(rev)
  const before = catalog.prepare<readonly [oid: string]>(
    'SELECT oid FROM chain WHERE sequence <= ? AND rev <= ? ORDER BY sequence DESC LIMIT 1',
  )
  return before.get(place?.[0] ?? 0, rev)?.[0] ?? null
}

async function runIndexJob(job: IndexJob): Promise<IndexState> {
  idle.refresh()
  const all = await open(job)
  const plan = planOf(all, rowsAtOnce)
  const [identity] = plan.progress
  // The catalog was rebuilt, and its row numbers have changed: the caller opens another index.
  if (identity !== plan.identity) return stateOf(plan, plan.progress, false)
  const documents = readDocuments(all, job, plan)
  if (documents.missing.length > 0)
    return { ...stateOf(plan, plan.progress, true), missing: documents.missing }
  return all.rows.transaction('IMMEDIATE', () => apply(all, job, plan, documents.bytes))
}

function readDocuments({ packs }: Opened, job: IndexJob, { records }: Plan) {
  const bytes = new Map<Oid, Uint8Array | undefined>(job.documents)
  const missing: Oid[] = []
  let read = 0
  packs.refresh()
  for (const { newest } of job.textLimit > 0 ? records : []) {
    if (!newest) continue
    const { document } = newest.revision
    if (bytes.has(document)) continue
    if (read > maxBytes) break
    const found = packs.read(document, maxDocumentBytes)?.bytes
    // The caller has read the first missing documents already. The others are read in the next part.
    if (!found && job.documents.size > 0) continue
    if (!found) missing.push(document)
    bytes.set(document, found)
    read += found?.length ?? 0
  }
  return { bytes, missing }
}

/** Writes the rows of a part. Ends early after some time, or at a document that has not been read. */
function apply(
  { index: connection, rows, saidBySchema }: Opened,
  job: IndexJob,
  plan: Plan,
  documents: ReadonlyMap<Oid, Uint8Array | undefined>,
): IndexState {
  const progress = connection.prepare<ProgressRow>(progressSql).get()
  // Another process has indexed this part, and perhaps later ones.
  if (!progress || progress[0] !== plan.progress[0] || progress[1] !== plan.progress[1])
    return stateOf(plan, progress ?? plan.progress, true)
  const start = performance.now()
  const { pending } = plan
  // Another process has indexed these documents again. The remaining ones may belong to another schema.
  if (pending && !isDeepStrictEqual(rows.pending(), pending)) return stateOf(plan, progress, true)
  let done = 0
  for (const { rid, newest } of plan.records) {
    if (!newest) rows.remove(rid)
    else {
      const { revision } = newest
      const isRead = job.textLimit === 0 || documents.has(revision.document)
      if (done > 0 && (!isRead || performance.now() - start > maxMilliseconds)) break
      const document = job.textLimit === 0 ? undefined : documents.get(revision.document)
      if (revision.kind === 'schema') {
        const fields = revision.record.search?.fields ?? []
        rows.declare(revision.id, { fields, said: saidBySchema(revision, document) })
      }
      rows.put(rid, newest.rev, { revision, document, textLimit: job.textLimit })
    }
    done++
  }
  const isWhole = done === plan.records.length
  rowsAtOnce = isWhole ? Math.min(maxRows, Math.ceil(1.5 * plan.limit)) : done
  if (pending) {
    const last = plan.again[done - 1]
    rows.setPending(pending[0], isWhole && plan.again.length < plan.limit ? undefined : last)
  }
  // If the part ended early, the next part reads its revisions again, and skips records that are in the index already.
  const through = isWhole ? plan.through : progress[1]
  const isSettled = isWhole && rows.pending() === undefined
  const commit = isSettled ? plan.reached : progress[2]
  // A catalog without a head is about to be rebuilt. Until then, the index of its last build answers.
  const wanted = plan.head === null ? null : (progress[4] ?? plan.last)
  const complete = progress[3] === 1 || (isSettled && wanted !== null && through >= wanted)
  const now: ProgressRow = [progress[0], through, commit, complete ? 1 : 0, wanted]
  if (plan.records.length > 0 || now.some((value, index) => value !== progress[index])) {
    connection
      .prepare('UPDATE progress SET through = ?, "commit" = ?, complete = ?, wanted = ?')
      .run(through, commit, complete ? 1 : 0, wanted)
  }
  return { ...stateOf(plan, now, !isSettled || through < plan.last), again: rows.indexedAgain() }
}

function stateOf(
  { identity, last }: Plan,
  [, through, commit, complete]: ProgressRow,
  more: boolean,
): IndexState {
  return {
    identity,
    through,
    last,
    commit: (commit ?? undefined) as Oid | undefined,
    complete: complete === 1,
    more,
    again: [],
    missing: [],
  }
}

lowerPriority()

runJobLoop(async (job: IndexThreadJob): Promise<IndexState | undefined> => {
  if (job.do === 'index') return await runIndexJob(job)
  disconnect()
  return undefined
})
