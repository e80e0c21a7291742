import type { Catalog } from '../../catalog/catalog.js'
import type { Along, Read } from '../../catalog/read/revision-batch-reader.js'
import { type Caller, seesEverything } from '../../core/access-control.js'
import type { Kind } from '../../core/records/record-kind.js'
import { isId } from '../../core/value-types.js'
import { named, permitted } from '../rules/request-rules.js'

/**
 * The newest revision of a record.
 * @param name a name the record has now: its id, persistent identifier or an alternate identifier
 * @throws ProblemError `not-found`, `forbidden`
 */
export type ReadNewest = (caller: Caller, kind: Kind, name: string, along: Along) => Promise<Read>

/** Records as they are now: where many ask, by another thread. */
export function openNewest({ committed, newest }: Pick<Catalog, 'committed' | 'newest'>): ReadNewest {
  return async (caller, kind, name, along) => {
    const read = isId(name)
      ? await newest(kind, name, seesEverything(caller) ? along : { ...along, record: true })
      : undefined
    const revision = permitted(caller, kind, name, read?.revision ?? named(committed, kind, name))
    return { ...read, revision }
  }
}
