import { toRevision } from '../../catalog/read/revision-row.js'
import type { Client } from '../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import { openFairQueue, type Waiting } from '../../core/scheduling/fair-queue.js'
import type { Oid } from '../../core/value-types.js'
import { isMissingOrDamaged, type ObjectReader } from '../../store/objects/object-reader.js'
import { openWorkerThread } from '../../store/process/worker-thread.js'
import type { Highlight, SearchRequest } from '../search-engine.js'
import type { FindThreadJob, FindThreadResult, FoundHit } from './find-thread-jobs.js'

/** Asks the thread that answers searches, in turns of the clients. */
export interface SearchReader {
  /** @throws ProblemError `malformed-request`, `unavailable`; errors of SQLite */
  ask(
    job: Exclude<FindThreadJob, { do: 'disconnect' }>,
    client: Client | undefined,
  ): Promise<FindThreadResult>
  /** The highlights of hits; of documents that are in no pack too. */
  highlights(
    hits: readonly FoundHit[],
    request: SearchRequest,
    client: Client | undefined,
  ): Promise<readonly (readonly Highlight[])[]>
  /** Closes the connections; the next search opens others. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

/** Most searches that wait, and those of one client: it leaves room for others. */
const mostWaiting = 500
const mostOfClient = 200
/** Bytes of documents that are sent to the thread at once. */
const mostBytes = 4 * 2 ** 20

interface Job extends Waiting {
  start(): Promise<unknown>
}

/** @param check throws a problem while the catalog cannot be read: its file is about to be replaced */
export function openSearchReader(objects: ObjectReader, check: () => void): SearchReader {
  const thread = openWorkerThread<FindThreadJob, FindThreadResult>(
    new URL('./find-thread.js', import.meta.url),
  )
  const waiting = openFairQueue<Job>()
  let isBusy = false
  let started = false
  let closed = false

  function next(): void {
    if (isBusy) return
    const job = waiting.take()
    if (!job) return
    isBusy = true
    void job.start().finally(() => {
      isBusy = false
      next()
    })
  }

  function ask(
    job: Exclude<FindThreadJob, { do: 'disconnect' }>,
    client: Client | undefined,
  ): Promise<FindThreadResult> {
    const key = client?.key ?? ''
    if (waiting.size >= mostWaiting || (client && waiting.sizeOf(key) >= mostOfClient))
      throw new ProblemError('unavailable', 'Too many searches are waiting. Try again.', { retryAfter: 2 })
    return new Promise((resolve, reject) => {
      waiting.add({
        client: key,
        isUrgent: client === undefined,
        async start() {
          if (client?.signal?.aborted || closed) return reject(clientGone())
          try {
            check()
          } catch (thrown) {
            return reject(thrown as Error)
          }
          started = true
          await thread.run(job).then(result => {
            if ('refusal' in result) reject(malformedRequest(result.refusal))
            else resolve(result)
          }, reject)
        },
      })
      next()
    })
  }

  return {
    async ask(job, client) {
      return await ask(job, client)
    },
    async highlights(hits, request, client) {
      const unread = hits.filter(hit => hit.highlights === undefined)
      if (unread.length === 0) return hits.map(hit => hit.highlights ?? [])
      const documents = await documentsOf(unread, objects)
      const { condition, highlight } = request
      const rows = unread.map(({ row }) => row)
      const made = await ask({ do: 'highlight', request: { condition, highlight }, rows, documents }, client)
      const late = 'highlights' in made ? made.highlights.values() : [].values()
      return hits.map(hit => hit.highlights ?? late.next().value ?? [])
    },
    async disconnect() {
      if (started) await thread.run({ do: 'disconnect' })
    },
    async close() {
      closed = true
      if (started) await thread.run({ do: 'disconnect' })
      await thread.close()
    },
  }
}

/** Documents of hits, in their order; undefined for one that cannot be read, and once they are many. */
async function documentsOf(
  hits: readonly FoundHit[],
  objects: ObjectReader,
): Promise<readonly (Uint8Array | undefined)[]> {
  const documents: (Uint8Array | undefined)[] = []
  let sum = 0
  for (const { row } of hits) {
    const document = sum > mostBytes ? undefined : await readOrUndefined(toRevision(row).document, objects)
    sum += document?.length ?? 0
    documents.push(document)
  }
  return documents
}

/** Undefined for a missing document: the hit is shown without highlights. `verify` reports the missing object. */
async function readOrUndefined(oid: Oid, objects: ObjectReader): Promise<Uint8Array | undefined> {
  try {
    return (await objects.read(oid)).bytes
  } catch (thrown) {
    if (isMissingOrDamaged(thrown)) return undefined
    throw thrown
  }
}
