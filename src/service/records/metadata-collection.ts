import type { Principal } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import { findReadable, unknownRecord } from '../access/find-record.js'
import type { MetadataPreparer } from '../updates/prepare-metadata.js'
import { commitPrepared, type UpdateBase } from '../updates/prepared-update.js'
import type { MetadataChange, NewMetadataDraft } from '../updates/record-drafts.js'
import type { Transactions } from '../updates/submit-update.js'
import { openRecordCollection, type RecordCollection } from './record-collection.js'

/** The metadata records, with the functions that change them. `name` as in {@link RecordCollection}. */
export interface Metadata extends RecordCollection {
  create(caller: Principal, draft: NewMetadataDraft, document: Uint8Array): Promise<Revision>
  revise(
    caller: Principal,
    name: string,
    precondition: Precondition,
    change: MetadataChange,
  ): Promise<Revision>
}

export interface MetadataOptions {
  readonly transactions: Transactions
  /** The records as the last flush stored them. Updates are prepared on these. */
  readonly committed: UpdateBase
  readonly updates: MetadataPreparer
  /** Makes a random UUID. */
  readonly newId: () => Id
}

export function openMetadata(options: MetadataOptions): Metadata {
  const { transactions, committed, updates, newId } = options
  return {
    ...openRecordCollection('metadata', options),

    async create(caller, draft, document) {
      const id = draft.id ?? newId()
      return await commitPrepared(transactions, caller, () =>
        updates.create(committed, caller, { ...draft, id }, document),
      )
    },

    async revise(caller, name, precondition, change) {
      return await commitPrepared(transactions, caller, () =>
        updates.revise(committed, caller, name, precondition, change),
      )
    },

    versions(caller, name, window) {
      const { id } = findReadable(transactions.committed, caller, 'metadata', name)
      const page = transactions.committed.versions('metadata', id, window)
      if (!page) throw unknownRecord('metadata', id)
      return page
    },
  }
}
