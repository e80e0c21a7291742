import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Id } from '../../core/value-types.js'
import { unknownRecord } from '../../service/access/find-record.js'

/**
 * Whether a problem, also one of a server, says that the collection has no record of the id. A version that does not
 * exist or is not served is another problem.
 */
export function isUnknownRecord(error: unknown, kind: Collection, id: Id): boolean {
  return error instanceof ProblemError && error.message === unknownRecord(kind, id).message
}

export function unknownInBoth(id: Id): ProblemError {
  return new ProblemError('not-found', `There is no schema and no metadata record "${id}".`)
}
