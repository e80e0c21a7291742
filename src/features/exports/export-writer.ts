import type { Client } from '../../core/access-control.js'
import { isPlain } from '../../core/plain-mode.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import { openWorkerThread } from '../../store/workers/worker-thread.js'
import { type ExportJob, isLongRecord, runExportJob } from './export-job.js'

/**
 * Writes exports. An export of a long record takes up to a second: a thread writes them one after another, and the
 * clients take turns.
 *
 * Fast path, for fairness and not for speed: the longest record keeps the thread busy for 0.1 to 0.9 s, depending on
 * the format, and not the event loop. Plain path: the event loop writes each export.
 * @see docs/decisions/011-fast-paths.md
 */
export interface ExportWriter {
  /** Writes an export. @throws ProblemError `unavailable` if many long exports wait, or the client has disconnected */
  write(job: ExportJob, client: Client | undefined): Promise<string>
  close(): Promise<void>
}

/** Limit of the long exports that wait. */
const maxWaiting = 64

export function openExportWriter(): ExportWriter {
  const thread = openWorkerThread<ExportJob, string>(new URL('./export-thread.js', import.meta.url))
  const inTurn = openOneAtATime({
    maxWaiting,
    refusal: 'Many exports of long records are waiting. Try again.',
    retryAfter: 5,
  })

  return {
    async write(job, client) {
      if (isPlain || !isLong(job)) return runExportJob(job)
      return await inTurn(() => thread.run(job), client, client?.signal)
    },
    close: thread.close,
  }
}

function isLong(job: ExportJob): boolean {
  const { revision, description } = job.record
  if (isLongRecord(revision.record) || (description && isLongRecord(description))) return true
  return job.write === 'crate' && job.schema !== undefined && isLongRecord(job.schema.record.revision.record)
}
