import { useEffect, useState } from 'preact/hooks'
import { type Change, readChangesBefore } from './change-pages.js'
import { openChangeStream } from './change-stream.js'
import { kindOf, type RecordName } from './records.js'

/** A change of a record, as the feed tells it. Of a deletion it tells no more. */
export type RecordChange =
  | { readonly change: 'deleted' }
  | { readonly change: 'created' | 'updated'; readonly version: number; readonly author: string }

/** Whether a change is one of a record. */
export function isChangeOf(record: RecordName, change: Change): boolean {
  return change.kind === kindOf(record) && change.id === record.id
}

/** Milliseconds until the watch begins: what a page shows is read first. */
const pause = 1000

/**
 * The newest change of a record since a state, as soon as the server has it.
 * @param etag of the state, which names its commit
 */
export function useRecordChange({ collection, id }: RecordName, etag: string): RecordChange | undefined {
  const [newest, setNewest] = useState<RecordChange>()
  useEffect(() => {
    setNewest(undefined)
    const commit = etag.replaceAll('"', '')
    const reading = new AbortController()
    let close = () => {}
    function watchSince(since: string) {
      if (reading.signal.aborted) return
      close = openChangeStream(since, {}, change => {
        if (isChangeOf({ collection, id }, change)) setNewest(change as RecordChange)
      })
    }
    async function begin() {
      // A stream from an old state would begin with all that has happened since.
      const { changes } = await readChangesBefore('now', {}, reading.signal)
      const last = changes.find(change => isChangeOf({ collection, id }, change))
      if (last && last.commit !== commit) setNewest(last as RecordChange)
      watchSince(changes[0]?.commit ?? commit)
    }
    // If the connection is gone, the stream tries again by itself.
    const timer = setTimeout(() => void begin().catch(() => watchSince(commit)), pause)
    return () => {
      clearTimeout(timer)
      reading.abort()
      close()
    }
  }, [collection, id, etag])
  return newest
}
