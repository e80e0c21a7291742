import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { visibleSql } from '../../../catalog/lists/list-sql.js'
import { joinStateAfter } from '../../../catalog/point-in-time/point-in-time.js'
import { malformedRequest, type ProblemError } from '../../../core/problem.js'
import type { Visibility } from '../../../core/records/list-query.js'
import { raiseNicenessOfProcess } from '../../../core/scheduling/niceness.js'
import type { Oid } from '../../../core/value-types.js'
import { runJobLoop } from '../../../store/workers/job-loop.js'
import { searchNiceness } from '../find/find-jobs.js'
import { checkWindow, type OpenedIndex, openIndex, readIndexState } from '../find/opened-index.js'
import { type DescribeRecord, loadDescribeModule, openAuthorReader } from '../index/load-describe-module.js'
import { findPastPage, type PastJob, type PastResult } from './find-past-page.js'
import { type ChangedRecord, declarationsOf, openPastIndex, type PastIndex } from './past-index.js'

/*
 * Answers searches at a point of the past. The index of today has the records that have not changed since. A small
 * index in memory has the former revisions of the others, and is kept for the next page of the same search.
 */

/** Limit of the bytes of the former revisions, records and documents together. */
const maxBytes = 64 * 2 ** 20
/** Milliseconds without a job after which everything is closed. */
const millisecondsUntilIdle = 30_000

let opened: OpenedIndex | undefined
let past: (PastIndex & { readonly key: string }) | undefined
const idle = setTimeout(disconnect, millisecondsUntilIdle).unref()

function disconnect(): void {
  closePastIndex()
  opened?.packs.close()
  opened?.connection.close()
  opened = undefined
}

function closePastIndex(): void {
  past?.close()
  past = undefined
}

function open(job: PastJob): OpenedIndex {
  if (opened?.place.file === job.file) return opened
  disconnect()
  opened = openIndex({ file: job.file, catalog: job.catalog, gitDir: job.gitDir })
  return opened
}

/** The index of former revisions for a job. It is replaced for another commit, or a caller who sees other records. */
function pastIndex(all: OpenedIndex, job: PastJob, identity: string, describe: DescribeRecord): PastIndex {
  const declarations = declarationsOf(all)
  const key = JSON.stringify([identity, job.commit, job.visibility, declarations])
  if (past?.key === key) return past
  closePastIndex()
  past = Object.assign(openPastIndex(all.place, all.packs, declarations, describe), { key })
  return past
}

async function find(job: PastJob): Promise<PastResult> {
  idle.refresh()
  checkWindow(job.request)
  const all = open(job)
  const readAuthor = openAuthorReader(all.connection, all.packs)
  const { describe } = await loadDescribeModule(job.describeModule, readAuthor)
  return all.connection.transaction('DEFERRED', () => findAt(all, job, describe))
}

function findAt(all: OpenedIndex, job: PastJob, describe: DescribeRecord): PastResult {
  const { connection } = all
  const { identity, isSameBuild, through, last } = readIndexState(connection)
  const upTo = revisionAt(connection, job.commit)
  if (upTo === undefined || !isSameBuild || through < upTo) return { isBehind: true }
  const changed = changedRecords(connection, upTo, job.visibility, job.limits.changed + 1)
  if (changed.length > job.limits.changed) throw tooMany(job)
  const index = pastIndex(all, job, identity, describe)
  const missing = index.add(changed, job.documents)
  if (index.bytes > maxBytes) {
    closePastIndex()
    throw tooMany(job)
  }
  if (missing) return { missing }
  const fields = index.fieldsSeenBy(job.visibility)
  const former = { connection: index.connection, fields, last: upTo, rows: {} }
  const rows = { restriction: { sql: unchangedSql, values: [] } }
  const parts = [{ connection, fields: all.fieldsSeenBy(job.visibility), last, rows }, former]
  const page = () => findPastPage(all, parts, job, `${identity} ${job.commit}`)
  return { page: index.connection.transaction('DEFERRED', page) }
}

function tooMany({ commit, limits }: PastJob): ProblemError {
  return malformedRequest(
    `More than ${limits.changed.toLocaleString('en')} records, or ${maxBytes / 2 ** 20} MiB of them, have changed since ` +
      `${commit}. Clone the repository at that commit, and search the clone: git-metastore search … --data <folder>.`,
  )
}

/** The row number (`rev`) of the last revision up to a commit; undefined for a commit outside the served history. */
function revisionAt(connection: Connection, commit: Oid): number | undefined {
  return connection.prepare<readonly [rev: number]>('SELECT rev FROM chain WHERE oid = ?').get(commit)?.[0]
}

/** SQL condition: a row `f` of the index belongs to a record that is not among {@link changedRecords}. */
const unchangedSql = 'f.rid NOT IN (SELECT rid FROM temp.changed)'

/**
 * The records that have changed since a revision, each with its own revision at that point. Only records that exist
 * today and that the caller sees: the result tells nothing about others.
 * @param upTo row number of the revision
 * @param max limit of the number of records
 */
function changedRecords(
  connection: Connection,
  upTo: number,
  visibility: Visibility,
  max: number,
): readonly ChangedRecord[] {
  connection.exec('CREATE TEMP TABLE IF NOT EXISTS changed (rid INTEGER PRIMARY KEY)')
  connection.prepare('DELETE FROM temp.changed').run()
  const { sql, values } = visibleSql(visibility, 'n', 'n.audience')
  connection
    .prepare(
      `INSERT INTO temp.changed SELECT DISTINCT c.rid FROM revision c NOT INDEXED CROSS JOIN newest n ON n.rid = c.rid
       WHERE c.rev > ? AND ${sql} LIMIT ?`,
    )
    .run(upTo, ...values, max)
  return connection
    .prepare<ChangedRecord>(`SELECT q.rid, r.rev FROM temp.changed q ${joinStateAfter('?1')}`)
    .all(upTo)
}

raiseNicenessOfProcess(searchNiceness)

runJobLoop(find)
