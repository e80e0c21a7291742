import type { Principal } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import type { Collection } from '../../core/records/collection.js'
import type { SchemaReference } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import type { SchemaBundle, Work } from '../../validation/validator.js'
import type { BundleAssembler } from '../rules/assemble-schema-bundle.js'
import { noSuchVersion, problemOf } from '../rules/record-rules.js'
import type { NewRecordUpload, OwnBaseUrls, RecordDraft, RecordUpdate } from './record-drafts.js'
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
