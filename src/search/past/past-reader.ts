import type { Client } from '../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import type { Oid } from '../../core/value-types.js'
import { isMissingOrDamaged, type ObjectReader } from '../../store/objects/object-reader.js'
import { openWorkerThread } from '../../store/process/worker-thread.js'
import type { FoundPage } from '../find/find-thread-jobs.js'
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

/** Most searches that wait. */
const mostWaiting = 50
/** Bytes of documents that are sent to the thread at once. */
const mostBytes = 4 * 2 ** 20
/** The server itself, and commands. */
const ownClient: Client = { key: '', isKnown: true }

/** @param check throws a problem while the catalog cannot be read: its file is about to be replaced */
export function openPastReader(objects: ObjectReader, check: () => void): PastReader {
  const thread = openWorkerThread<PastThreadJob, PastThreadResult>(
    new URL('./past-thread.js', import.meta.url),
  )
  const inTurn = openOneAtATime()
  let waiting = 0
  let started = false
  let closed = false

  async function find(
    job: () => Omit<PastJob, 'documents'>,
    { signal }: Client,
  ): Promise<FoundPage | undefined> {
    let documents: PastJob['documents'] = new Map()
    for (;;) {
      if (signal?.aborted || closed) throw clientGone()
      check()
      started = true
      const result = await thread.run({ ...job(), documents })
      if ('page' in result) return result.page
      if ('refusal' in result) throw malformedRequest(result.refusal)
      if (!('missing' in result)) return undefined
      documents = await readFirst(result.missing, objects)
    }
  }

  async function disconnect(): Promise<void> {
    if (started) await thread.run({ do: 'disconnect' })
  }

  return {
    async find(job, client = ownClient) {
      if (waiting >= mostWaiting)
        throw new ProblemError('unavailable', 'Too many searches are waiting. Try again.', { retryAfter: 2 })
      waiting++
      try {
        return await inTurn(() => find(job, client), client, client.signal)
      } finally {
        waiting--
      }
    },
    disconnect,
    async close() {
      closed = true
      await disconnect()
      await thread.close()
    },
  }
}

/** The first documents. Undefined for one that cannot be read: the record is found by its own words. `verify` reports the object. */
async function readFirst(oids: readonly Oid[], objects: ObjectReader): Promise<PastJob['documents']> {
  const documents = new Map<Oid, Uint8Array | undefined>()
  let sum = 0
  for (const oid of oids) {
    if (sum > mostBytes) break
    try {
      const { bytes } = await objects.read(oid)
      documents.set(oid, bytes)
      sum += bytes.length
    } catch (thrown) {
      if (!isMissingOrDamaged(thrown)) throw thrown
      documents.set(oid, undefined)
    }
  }
  return documents
}
