import { toRevision } from '../../../catalog/read/revision-row.js'
import type { Client } from '../../../core/access-control.js'
import type { ObjectReader } from '../../../store/objects/object-reader.js'
import {
  type FindLimits,
  type FindProcessJob,
  type FindProcessResults,
  type FoundHit,
  findProcessScript,
} from '../find/find-jobs.js'
import { readFirstDocuments } from '../index/first-documents.js'
import type { Highlight, SearchRequest } from '../search-engine.js'
import { openSearchProcesses } from './search-processes.js'

/**
 * Sends searches of the newest revisions to the processes that answer them. The clients take turns.
 * @param check throws a problem while the file of the catalog is about to be replaced
 */
export function openSearchReader(objects: ObjectReader, check: () => void, limits: FindLimits) {
  type Result = FindProcessResults[FindProcessJob['do']]
  const processes = openSearchProcesses<FindProcessJob, Result>(findProcessScript, limits)

  /**
   * Sends a job to a process and returns its result.
   * @param makeJob makes the job when its turn comes: the file of the index may change until then
   * @throws ProblemError `malformed-request`, `unavailable`; errors of SQLite; ProcessEnded
   */
  async function ask<J extends FindProcessJob>(makeJob: () => J, client: Client | undefined) {
    const checkedJob = () => {
      check()
      return makeJob()
    }
    return (await processes.run(checkedJob, client)) as FindProcessResults[J['do']]
  }

  return {
    ask,
    /** The highlights of hits, including hits whose documents are in no pack. */
    async highlights(
      hits: readonly FoundHit[],
      request: SearchRequest,
      client: Client | undefined,
    ): Promise<readonly (readonly Highlight[])[]> {
      const unread = hits.filter(hit => hit.highlights === undefined)
      if (unread.length === 0) return hits.map(hit => hit.highlights ?? [])
      const oids = unread.map(({ row }) => toRevision(row).document)
      const byOid = await readFirstDocuments(oids, objects)
      const documents = oids.map(oid => byOid.get(oid))
      const { condition, highlight } = request
      const rows = unread.map(({ row }) => row)
      const made = await ask(
        () => ({ do: 'highlight', request: { condition, highlight }, rows, documents }),
        client,
      )
      const late = made.values()
      return hits.map(hit => hit.highlights ?? late.next().value ?? [])
    },
    /** Closes the connections; the next search opens others. */
    disconnect: processes.restart,
    close: processes.close,
  }
}
