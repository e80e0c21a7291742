import type { Catalog } from '../../catalog/catalog.js'
import type { BatchedRevision, RevisionExtras } from '../../catalog/read/revision-batch-reader.js'
import { type Principal, seesEverything } from '../../core/access-control.js'
import type { Collection } from '../../core/records/collection.js'
import { isId } from '../../core/value-types.js'
import { findByName, requireReadable } from '../access/find-record.js'

/**
 * The newest revision of a record.
 * @param name a current name of the record: its id, persistent identifier or an alternate identifier
 * @param along what is read together with the revision
 * @throws ProblemError `not-found`, `forbidden`
 */
export type ReadNewest = (
  caller: Principal,
  kind: Collection,
  name: string,
  along: RevisionExtras,
) => Promise<BatchedRevision>

/** Reads newest revisions. When there are many requests, another thread reads the revisions in batches. */
export function openNewestReader({ committed, newest }: Pick<Catalog, 'committed' | 'newest'>): ReadNewest {
  return async (caller, kind, name, along) => {
    const read = isId(name)
      ? await newest(kind, name, seesEverything(caller) ? along : { ...along, record: true })
      : undefined
    const revision = requireReadable(
      committed,
      caller,
      kind,
      name,
      read?.revision ?? findByName(committed, kind, name),
    )
    return { ...read, revision }
  }
}
