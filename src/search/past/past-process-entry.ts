import { malformedRequest, type ProblemError } from '../../core/problem.js'
import { raiseNicenessOfProcess } from '../../core/scheduling/niceness.js'
import { runJobLoop } from '../../store/workers/job-loop.js'
import { searchNiceness } from '../find/find-limits.js'
import { checkWindow, type OpenedIndex, openIndex, readIndexState } from '../find/opened-index.js'
import { changedRecords, revisionAt, unchangedSql } from './changed-records.js'
import { findPastPage } from './find-past-page.js'
import { declarationsOf, openPastIndex, type PastIndex } from './past-index.js'
import type { PastJob, PastResult } from './past-jobs.js'

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
function pastIndex(all: OpenedIndex, job: PastJob, identity: string): PastIndex {
  const declarations = declarationsOf(all)
  const key = JSON.stringify([identity, job.commit, job.visibility, declarations])
  if (past?.key === key) return past
  closePastIndex()
  past = Object.assign(openPastIndex(all.place, all.packs, declarations), { key })
  return past
}

function find(job: PastJob): PastResult {
  idle.refresh()
  checkWindow(job.request)
  const all = open(job)
  return all.connection.transaction('DEFERRED', () => findAt(all, job))
}

function findAt(all: OpenedIndex, job: PastJob): PastResult {
  const { connection } = all
  const { identity, isSameBuild, through, last } = readIndexState(connection)
  const upTo = revisionAt(connection, job.commit)
  if (upTo === undefined || !isSameBuild || through < upTo) return { isBehind: true }
  const changed = changedRecords(connection, upTo, job.visibility, job.limits.changed + 1)
  if (changed.length > job.limits.changed) throw tooMany(job)
  const index = pastIndex(all, job, identity)
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

raiseNicenessOfProcess(searchNiceness)

runJobLoop(find)
