import type { Client } from '../../../core/access-control.js'
import { clientGone } from '../../../core/scheduling/client-work.js'
import { openOneAtATime } from '../../../core/scheduling/one-at-a-time.js'
import type { ObjectReader } from '../../../store/objects/object-reader.js'
import { openJobProcess } from '../../../store/workers/job-process.js'
import { type FindLimits, type FoundHits, tooManySearches } from '../find/find-jobs.js'
import { readFirstDocuments } from '../index/first-documents.js'
import { runLimited } from '../processes/search-processes.js'
import type { PastJob, PastResult } from './find-past-page.js'

/** Limits of the searches that wait for the one that runs: of all clients together, and of one client. */
const maxWaiting = 49
const maxWaitingOfClient = 10

/**
 * Sends searches at a point of the past to their process, which starts with the first search: one after the other, in
 * turns of the clients.
 * @param check throws a problem while the catalog cannot be read: its file is about to be replaced
 */
export function openPastReader(
  objects: ObjectReader,
  check: () => void,
  { maxTime }: Pick<FindLimits, 'maxTime'>,
) {
  const process = openJobProcess<PastJob, PastResult>(new URL('./past-process-entry.js', import.meta.url))
  const inTurn = openOneAtATime({ maxWaiting, maxWaitingOfClient, refusal: tooManySearches, retryAfter: 2 })
  let closed = false

  async function find(
    job: () => Omit<PastJob, 'documents'>,
    signal: AbortSignal | undefined,
  ): Promise<FoundHits | undefined> {
    let documents: PastJob['documents'] = new Map()
    for (;;) {
      if (signal?.aborted || closed) throw clientGone()
      check()
      await process.start()
      const running = process.run({ ...job(), documents })
      const result = await runLimited(process, running, maxTime, signal)
      if ('page' in result) return result.page
      if (!('missing' in result)) return undefined
      documents = await readFirstDocuments(result.missing, objects)
    }
  }

  return {
    /**
     * Finds a page of a search in a past state.
     * @param job makes the job when its turn comes, again for each attempt: the index may change meanwhile
     * @returns undefined if the index does not reflect the commit yet
     * @throws ProblemError `malformed-request`, `unavailable`; errors of SQLite; ProcessEnded
     */
    find: (job: () => Omit<PastJob, 'documents'>, client: Client | undefined) =>
      inTurn(() => find(job, client?.signal), client, client?.signal),
    /** Closes the connections; the next search opens others. */
    disconnect: process.end,
    async close(): Promise<void> {
      closed = true
      await process.end()
    },
  }
}
