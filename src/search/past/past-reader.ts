import type { Client } from '../../core/access-control.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { openWorkerThread } from '../../store/process/worker-thread.js'
import { tooManySearches } from '../find/find-limits.js'
import type { FoundPage } from '../find/find-thread-jobs.js'
import { readFirstDocuments } from '../index/first-documents.js'
import type { PastJob, PastThreadJob, PastThreadResult } from './past-thread-jobs.js'

/** Asks the thread that searches former states: one search after the other, in turns of the clients. */
export interface PastReader {
  /**
   * @param job makes the job for the index as it is
   * @returns undefined if the index does not reflect the commit yet
   * @throws ProblemError `malformed-request`, `unavailable`; errors of SQLite
   */
  find(job: () => Omit<PastJob, 'documents'>, client: Client | undefined): Promise<FoundPage | undefined>
  /** Closes the connections; the next search opens others. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

/** Most searches that wait, beside the one that runs. */
const mostWaiting = 49

/** @param check throws a problem while the catalog cannot be read: its file is about to be replaced */
export function openPastReader(objects: ObjectReader, check: () => void): PastReader {
  const thread = openWorkerThread<PastThreadJob, PastThreadResult>(
    new URL('./past-thread.js', import.meta.url),
  )
  const inTurn = openOneAtATime({ most: mostWaiting, refusal: tooManySearches, retryAfter: 2 })
  let started = false
  let closed = false

  async function find(
    job: () => Omit<PastJob, 'documents'>,
    signal: AbortSignal | undefined,
  ): Promise<FoundPage | undefined> {
    let documents: PastJob['documents'] = new Map()
    for (;;) {
      if (signal?.aborted || closed) throw clientGone()
      check()
      started = true
      const result = await thread.run({ ...job(), documents })
      if ('page' in result) return result.page
      if (!('missing' in result)) return undefined
      documents = await readFirstDocuments(result.missing, objects)
    }
  }

  async function disconnect(): Promise<void> {
    if (started) await thread.run({ do: 'disconnect' })
  }

  return {
    find: (job, client) => inTurn(() => find(job, client?.signal), client, client?.signal),
    disconnect,
    async close() {
      closed = true
      await disconnect()
      await thread.close()
    },
  }
}
