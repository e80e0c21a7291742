import { useEffect, useState } from 'preact/hooks'
import { type Change, openChangeStream } from './change-stream.js'
import type { RecordName } from './records.js'

/** A change of a record, as the feed tells it. Of a deletion it tells no more. */
export type RecordChange =
  | { readonly change: 'deleted' }
  | { readonly change: 'created' | 'updated'; readonly version: number; readonly author: string }

/** Whether a change is one of a record. */
export function isChangeOf({ collection, id }: RecordName, change: Change): boolean {
  return change.kind === (collection === 'schemas' ? 'schema' : 'metadata') && change.id === id
}

/**
 * The newest change of a record since a state, as soon as the server has it.
 * @param etag of the state, which names its commit
 */
export function useRecordChange({ collection, id }: RecordName, etag: string): RecordChange | undefined {
  const [newest, setNewest] = useState<RecordChange>()
  useEffect(() => {
    setNewest(undefined)
    return openChangeStream(etag.replaceAll('"', ''), {}, change => {
      if (isChangeOf({ collection, id }, change)) setNewest(change as RecordChange)
    })
  }, [collection, id, etag])
  return newest
}
