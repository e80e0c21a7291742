import type { Client } from '../../core/access-control.js'
import { isPlain } from '../../core/plain-mode.js'
import { ProblemError } from '../../core/problem.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import { openFairQueue, type Waiting } from '../../core/scheduling/fair-queue.js'
import { type ExportJob, isLongRecord, runExportJob } from '../../exports/export-job.js'
import { openWorkerThread } from '../../store/process/worker-thread.js'

/**
 * Writes exports. Those of long records take up to a second: a thread writes them one after another, and the clients
 * take turns.
 *
 * Fast path, for the latency of other clients; its gain has not been measured alone. Plain path: the event loop writes
 * each export.
 * @see docs/decisions/011-fast-paths.md
 */
export interface ExportWriter {
  /** @throws ProblemError `unavailable` if many long exports wait, or the client has disconnected */
  write(job: ExportJob, client: Client | undefined): Promise<string>
  close(): Promise<void>
}

/** Most long exports that wait. */
const mostWaiting = 64

interface WaitingExport extends Waiting {
  start(): Promise<void>
}

export function openExportWriter(): ExportWriter {
  const thread = openWorkerThread<ExportJob, string>(new URL('./export-thread.js', import.meta.url))
  const waiting = openFairQueue<WaitingExport>()
  let isRunning = false

  function next(): void {
    const entry = isRunning ? undefined : waiting.take()
    if (!entry) return
    isRunning = true
    void entry.start().finally(() => {
      isRunning = false
      next()
    })
  }

  return {
    async write(job, client) {
      if (isPlain || !isLong(job)) return runExportJob(job)
      if (waiting.size >= mostWaiting)
        throw new ProblemError('unavailable', 'Many exports of long records are waiting. Try again.', {
          retryAfter: 5,
        })
      return await new Promise((resolve, reject) => {
        waiting.add({
          client: client?.key ?? '',
          isUrgent: false,
          start: async () => {
            if (client?.signal?.aborted) reject(clientGone())
            else await thread.run(job).then(resolve, reject)
          },
        })
        next()
      })
    },
    close: thread.close,
  }
}

function isLong(job: ExportJob): boolean {
  if (isLongRecord(job.record.revision.record)) return true
  return job.write === 'crate' && job.schema !== undefined && isLongRecord(job.schema.record.revision.record)
}
