import type { Catalog } from '../../catalog/catalog.js'
import type { Oid } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { type PurgedRecord, readPurgedRecords } from '../../store/repository/purged-records.js'

/** Reads the purged records at the newest commit. Lists report them to harvesters as deleted. */
export type PurgedRecords = () => Promise<readonly PurgedRecord[]>

export interface PurgedRecordsOptions {
  readonly catalog: Pick<Catalog, 'head'>
  readonly objects: Pick<ObjectReader, 'read'>
  readonly history: Pick<History, 'commit'>
}

/** Reads purged records, and again only if there is a new commit. */
export function openPurgedRecords({ catalog, objects, history }: PurgedRecordsOptions): PurgedRecords {
  let known: { readonly head: Oid; readonly records: Promise<readonly PurgedRecord[]> } | undefined
  return async () => {
    const head = catalog.head()
    if (head === undefined) return []
    if (known?.head !== head) {
      const records = readPurgedRecords(head, objects, history)
      known = { head, records }
      // A failed read is repeated.
      records.catch(() => {
        if (known?.records === records) known = undefined
      })
    }
    return await known.records
  }
}
