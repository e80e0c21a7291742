import { toRevision } from '../../catalog/read/revision-row.js'
import type { Client } from '../../core/access-control.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import {
  type FindProcessJob,
  type FindProcessResult,
  type FoundHit,
  findProcessScript,
} from '../find/find-jobs.js'
import type { FindLimits } from '../find/find-limits.js'
import { readFirstDocuments } from '../index/first-documents.js'
import type { Highlight, SearchRequest } from '../search-engine.js'
import { openSearchProcesses } from './search-processes.js'

/** Sends searches to the processes that answer them. The clients take turns. */
export interface SearchReader {
  /**
   * @param makeJob makes the job when its turn comes: the file of the index may change until then
   * @throws ProblemError `malformed-request`, `unavailable`; errors of SQLite; ProcessEnded
   */
  ask(makeJob: () => FindProcessJob, client: Client | undefined): Promise<FindProcessResult>
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

/**
 * Opens the reader for searches of the newest revisions.
 * @param check throws a problem while the file of the catalog is about to be replaced
 */
export function openSearchReader(objects: ObjectReader, check: () => void, limits: FindLimits): SearchReader {
  const processes = openSearchProcesses<FindProcessJob, FindProcessResult>(findProcessScript, limits)

  const ask: SearchReader['ask'] = (makeJob, client) =>
    processes.run(() => {
      check()
      return makeJob()
    }, client)

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
      const made = await ask(
        () => ({ do: 'highlight', request: { condition, highlight }, rows, documents }),
        client,
      )
      const late = 'highlights' in made ? made.highlights.values() : [].values()
      return hits.map(hit => hit.highlights ?? late.next().value ?? [])
    },
    disconnect: processes.restart,
    close: processes.close,
  }
}
