import type { Principal } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import type { Collection } from '../../core/records/collection.js'
import { stateOf } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { findDeletable } from '../access/find-record.js'
import { nextVersion } from '../access/request-rules.js'
import { contentOf } from '../rules/record-content.js'
import { deletionSubject, recordTrailers, revocationSubject } from './commit-messages.js'
import { type PreparedUpdate, plannedUpdateOf, type UpdateBase } from './prepared-update.js'
import type { PlannedUpdate } from './submit-update.js'

/** Prepares a deletion. @throws ProblemError as {@link findDeletable} */
export async function prepareRemoval(
  on: UpdateBase,
  caller: Principal,
  kind: Collection,
  name: string,
  precondition: Precondition,
): Promise<PreparedUpdate> {
  const { id } = await on.query(state => findDeletable(state, caller, kind, name, precondition))
  return {
    kind,
    id,
    plan: async state => planRemoval(findDeletable(state, caller, kind, id, precondition), state),
  }
}

/**
 * Plans the next of the two steps of a deletion: revoke the record, which its administrators can undo, or remove its
 * directory, which is final. @see docs/contract.md#deletion
 */
function planRemoval(current: Revision, state: CatalogQueries): PlannedUpdate {
  const { kind, id, record } = current
  if (stateOf(record) === 'REVOKED') {
    const subject = deletionSubject(kind, id)
    return { change: { kind, id, subject, trailers: recordTrailers(kind, id, undefined) } }
  }
  const version = nextVersion(state, current, false)
  return plannedUpdateOf(
    kind,
    { ...record, state: 'REVOKED' },
    contentOf(current),
    version,
    revocationSubject(kind, id, version),
  )
}
