import { type Principal, withAdministrator } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import type { Collection } from '../../core/records/collection.js'
import type { SchemaReference, StoredRecord } from '../../core/records/record.js'
import { newRecord, withoutDefaultYear } from '../../core/records/record-defaults.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { EventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Version } from '../../core/value-types.js'
import type { SchemaBundle, Work } from '../../validation/validator.js'
import { refuseUnauthorised, toCanonicalRecord } from '../access/request-rules.js'
import type { BundleAssembler } from '../rules/assemble-schema-bundle.js'
import type { RecordContent } from '../rules/record-content.js'
import { noSuchVersion, problemOf } from '../rules/record-rules.js'
import { recordTrailers } from './commit-messages.js'
import type { NewRecordUpload, OwnBaseUrls, RecordDraft, RecordEdit, RecordUpdate } from './record-drafts.js'
import { type PlannedUpdate, retryWhileStale, type Transactions } from './submit-update.js'

/**
 * The records on which an update is prepared: as the last flush stored them, or as they would be after the earlier
 * changes of a change set.
 */
export interface UpdateBase {
  /** Queries these records. @see Transactions.readCommitted */
  query<T>(question: (state: CatalogQueries) => T | Promise<T>): Promise<T>
  /**
   * A schema version, for validation.
   * @param found its revision, if `query` has just returned it
   * @throws ProblemError `unprocessable` if there is no such version
   */
  bundle(schema: SchemaReference, work: Work, found?: Revision): Promise<SchemaBundle>
  /** Whether nothing will be stored. Validations for updates go before those for dry runs. */
  readonly isDryRun?: true
}

/** An update whose document is valid. The plan checks the other rules on the newest records. */
export interface PreparedUpdate {
  readonly kind: Collection
  readonly id: Id
  /** Lets the event loop run while it handles a long record. @throws ProblemError, StaleUpdateError */
  plan(state: CatalogQueries): Promise<PlannedUpdate>
  /** Present for a schema whose content changes. */
  readonly content?: NewSchemaContent
}

/** Prepares updates of one kind of records up to the plan that the writer runs. */
export interface RecordPreparer<Draft extends RecordDraft = RecordDraft> {
  create(
    on: UpdateBase,
    caller: Principal,
    draft: Draft,
    upload: NewRecordUpload,
    origins: OwnBaseUrls,
  ): Promise<PreparedUpdate>
  revise(
    on: UpdateBase,
    caller: Principal,
    name: string,
    precondition: Precondition,
    update: RecordUpdate,
    origins: OwnBaseUrls,
  ): Promise<PreparedUpdate>
}

/** New content of a schema: documents of the same change set are validated against it. */
export interface NewSchemaContent {
  readonly bundle: SchemaBundle
  readonly refersTo: readonly Id[]
}

export function openCommittedBase(transactions: Transactions, bundles: BundleAssembler): UpdateBase {
  return {
    query: transactions.readCommitted,
    async bundle({ schemaId, version }, work, found) {
      const revision = found ?? transactions.committed.atVersion('schema', schemaId, version)
      if (revision) return await bundles.ofStored(transactions.committed, revision, work)
      throw problemOf(noSuchVersion(transactions.committed, schemaId, version))
    },
  }
}

/**
 * Prepares and writes an update, and again if other updates have made the preparation stale.
 * @returns the new revision, or the current one if nothing changed
 * @throws ProblemError as {@link Transactions.updateRecord}
 */
export async function commitPrepared(
  transactions: Transactions,
  caller: Principal,
  prepare: () => Promise<PreparedUpdate>,
): Promise<Revision> {
  return await retryWhileStale(async () => {
    const { kind, id, plan } = await prepare()
    return await transactions.updateRecord(caller, kind, id, plan)
  })
}

/**
 * Prepares an update and runs its plan, as for {@link commitPrepared}, on the committed records, and stores nothing.
 * @throws ProblemError for an update that would be refused
 */
export async function checkPrepared(
  { readCommitted }: Pick<Transactions, 'readCommitted'>,
  prepare: () => Promise<PreparedUpdate>,
): Promise<void> {
  await retryWhileStale(async () => {
    const { plan } = await prepare()
    await readCommitted(plan)
  })
}

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

/** Validation work for an update of a caller. @param base the records on which it is prepared */
export function updateWork({ client }: Principal, { isDryRun }: Pick<UpdateBase, 'isDryRun'>): Work {
  return {
    client: client?.key ?? '',
    ...(client?.signal && { signal: client.signal }),
    ...(isDryRun && { isDryRun }),
  }
}

/** Validation work for a request that stores nothing. */
export function dryRunWork(caller: Principal): Work {
  return updateWork(caller, { isDryRun: true })
}
