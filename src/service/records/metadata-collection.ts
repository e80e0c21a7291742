import type { Id } from '../../core/value-types.js'
import { findReadable, unknownRecord } from '../access/find-record.js'
import type { RecordDraft } from '../updates/record-drafts.js'
import {
  openRecordCollection,
  type RecordCollection,
  type RecordCollectionOptions,
} from './record-collection.js'

export interface MetadataOptions extends RecordCollectionOptions<RecordDraft & { readonly id: Id }> {
  /** Makes a random UUID. */
  readonly newId: () => Id
}

/** The metadata records, with the functions that change them. `name` as in {@link RecordCollection}. */
export function openMetadata(options: MetadataOptions): RecordCollection {
  const { transactions, newId } = options
  return {
    ...openRecordCollection('metadata', options, draft => ({ ...draft, id: draft.id ?? newId() })),

    versions(caller, name, window) {
      const { id } = findReadable(transactions.committed, caller, 'metadata', name)
      const page = transactions.committed.versions('metadata', id, window)
      if (!page) throw unknownRecord('metadata', id)
      return page
    },
  }
}
