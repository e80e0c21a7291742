import type { Principal } from '../../core/access-control.js'
import type { Collection } from '../../core/records/collection.js'
import type { SchemaReference } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import type { SchemaBundle, Work } from '../../validation/validator.js'
import type { BundleAssembler } from '../rules/assemble-schema-bundle.js'
import { noSuchVersion, problemOf } from '../rules/record-rules.js'
import {
  deletedAfterUpdate,
  type PlannedUpdate,
  retryWhileStale,
  type Transactions,
} from './submit-update.js'

/**
 * What an update is prepared on: the committed state, or what it will be after the updates before it in a change set.
 */
export interface UpdateBase {
  /** @see Transactions.readCommitted */
  ask<T>(question: (state: CatalogQueries) => T | Promise<T>): Promise<T>
  /**
   * A schema version, for validation.
   * @param found its revision, where the state that `ask` shows has just told it
   * @throws ProblemError `unprocessable` where there is none
   */
  bundle(schema: SchemaReference, work: Work, found?: Revision): Promise<SchemaBundle>
}

/** An update whose document has been checked; what is left to be judged is judged when it is planned. */
export interface PreparedUpdate {
  readonly kind: Collection
  readonly id: Id
  /** Of a long record in steps, with pauses between them. @throws ProblemError, Outdated */
  plan(state: CatalogQueries): Promise<PlannedUpdate>
  /** Of a schema whose content changes. */
  readonly content?: NewSchemaContent
}

/** A schema's new content: what documents are checked against before it is stored, and which schemas it refers to. */
export interface NewSchemaContent {
  readonly bundle: SchemaBundle
  readonly refersTo: readonly Id[]
}

export function openCommittedBase(transactions: Transactions, bundles: BundleAssembler): UpdateBase {
  return {
    ask: transactions.readCommitted,
    async bundle({ schemaId, version }, work, found) {
      const revision = found ?? transactions.committed.atVersion('schema', schemaId, version)
      if (revision) return await bundles.ofStored(transactions.committed, revision, work)
      throw problemOf(noSuchVersion(schemaId, version))
    },
  }
}

/**
 * Has an update written; prepares it again where others make it outdated.
 * @returns the revision it made, or the one that stays
 * @throws ProblemError `not-found` where somebody deleted it right after
 */
export async function commitPrepared(
  transactions: Transactions,
  caller: Principal,
  prepare: () => Promise<PreparedUpdate>,
): Promise<Revision> {
  return await retryWhileStale(async () => {
    const { kind, id, plan } = await prepare()
    const made = await transactions.updateRecord(caller, kind, id, plan)
    if (!made) throw deletedAfterUpdate(id)
    return made
  })
}
