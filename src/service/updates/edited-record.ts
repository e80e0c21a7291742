import { type Principal, withAdministrator } from '../../core/access-control.js'
import type { Collection } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import { newRecord, withoutDefaultYear } from '../../core/records/record-defaults.js'
import type { Revision } from '../../core/records/revision.js'
import type { EventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Version } from '../../core/value-types.js'
import { refuseUnauthorised, toCanonicalRecord } from '../access/request-rules.js'
import type { RecordContent } from '../rules/record-content.js'
import { recordTrailers } from './commit-messages.js'
import type { RecordEdit } from './record-drafts.js'
import type { PlannedUpdate } from './submit-update.js'

/** Members that the service sets, whatever the request says. */
type OwnMembers = Pick<StoredRecord, 'schema'>

/**
 * The stored form of a new record. The caller gets the permission ADMINISTRATE, whatever the request says.
 * @throws ProblemError `malformed-request`, `unauthenticated`, `forbidden`
 * @see docs/contract.md#members-that-the-server-sets
 */
export async function createRecord(
  caller: Principal,
  edit: RecordEdit,
  { id, ...own }: OwnMembers & { readonly id: Id },
  pauses: EventLoopPauses,
): Promise<StoredRecord> {
  const edited = edit(newRecord(id, caller))
  await pauses.ifDue()
  const acls = withAdministrator(edited.acls ?? [], caller)
  const record = await toCanonicalRecord({ ...edited, id, ...own, acls }, pauses)
  await pauses.ifDue()
  refuseUnauthorised(caller, undefined, record)
  return record
}

/**
 * The stored form of an edited record. The record keeps its access list if the edit leaves none.
 * @param now the current revision
 * @throws ProblemError `malformed-request`, `forbidden`
 */
export async function editRecord(
  caller: Principal,
  now: Pick<Revision, 'record' | 'createdAt'>,
  edit: RecordEdit | undefined,
  own: OwnMembers,
  pauses: EventLoopPauses,
): Promise<StoredRecord> {
  const edited = edit ? withoutDefaultYear(edit(now.record), now) : now.record
  await pauses.ifDue()
  const { record: current } = now
  const acls = edited.acls?.length ? edited.acls : current.acls
  const record = await toCanonicalRecord(
    { ...edited, id: current.id, ...own, ...(acls ? { acls } : {}) },
    pauses,
  )
  await pauses.ifDue()
  refuseUnauthorised(caller, current, record)
  return record
}

/**
 * Makes the planned update that writes a record and its other files. It stores nothing.
 * @param version the version that the update will have; undefined if it is unknown
 * @param subject first line of the commit message
 */
export function plannedUpdateOf(
  kind: Collection,
  record: StoredRecord,
  { type, document, files }: RecordContent,
  version: Version | undefined,
  subject: string,
): PlannedUpdate {
  const { id } = record
  const state = { record, documentType: type, document, files }
  return { version, change: { kind, id, state, subject, trailers: recordTrailers(kind, id, version) } }
}
