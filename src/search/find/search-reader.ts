import { toRevision } from '../../catalog/read/revision-row.js'
import type { Client } from '../../core/access-control.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { openWorkerThread } from '../../store/process/worker-thread.js'
import { readFirstDocuments } from '../index/first-documents.js'
import type { Highlight, SearchRequest } from '../search-engine.js'
import { tooManySearches } from './find-limits.js'
import type { FindThreadJob, FindThreadResult, FoundHit } from './find-thread-jobs.js'

/** Sends searches to the thread that answers them. The clients take turns. */
export interface SearchReader {
  /** @throws ProblemError `malformed-request`, `unavailable`; errors of SQLite */
  ask(
    job: Exclude<FindThreadJob, { do: 'disconnect' }>,
    client: Client | undefined,
  ): Promise<FindThreadResult>
  /** The highlights of hits, including hits whose documents are in no pack. */
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

/** @param check throws a problem while the file of the catalog is about to be replaced */
export function openSearchReader(objects: ObjectReader, check: () => void): SearchReader {
  const thread = openWorkerThread<FindThreadJob, FindThreadResult>(
    new URL('./find-thread.js', import.meta.url),
  )
  const inTurn = openOneAtATime({
    most: mostWaiting,
    mostOfClient,
    refusal: tooManySearches,
    retryAfter: 2,
  })
  let started = false
  let closed = false

  async function run(
    job: Exclude<FindThreadJob, { do: 'disconnect' }>,
    signal: AbortSignal | undefined,
  ): Promise<FindThreadResult> {
    if (signal?.aborted || closed) throw clientGone()
    check()
    started = true
    return await thread.run(job)
  }

  const ask: SearchReader['ask'] = (job, client) =>
    inTurn(() => run(job, client?.signal), client, client?.signal)

  return {
    ask,
    async highlights(hits, request, client) {
      const unread = hits.filter(hit => hit.highlights === undefined)
      if (unread.length === 0) return hits.map(hit => hit.highlights ?? [])
      const oids = unread.map(({ row }) => toRevision(row).document)
      const found = await readFirstDocuments(oids, objects)
      const documents = oids.map(oid => found.get(oid))
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
