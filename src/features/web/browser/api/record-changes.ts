import { useEffect, useState } from 'preact/hooks'
import { serviceUrl } from './client.js'
import type { RecordName } from './records.js'

/** A change of a record, as the feed tells it. Of a deletion it tells no more. */
export type RecordChange =
  | { readonly change: 'deleted' }
  | { readonly change: 'created' | 'updated'; readonly version: number; readonly author: string }

/**
 * The newest change of a record since a state, as soon as the server has it.
 * @param etag of the state, which names its commit
 */
export function useRecordChange({ collection, id }: RecordName, etag: string): RecordChange | undefined {
  const [newest, setNewest] = useState<RecordChange>()
  useEffect(() => {
    setNewest(undefined)
    const url = new URL('api/changes', serviceUrl)
    url.searchParams.set('since', etag.replaceAll('"', ''))
    const stream = new EventSource(url)
    const kind = collection === 'schemas' ? 'schema' : 'metadata'
    function onChange({ data }: MessageEvent<string>) {
      const change = JSON.parse(data) as RecordChange & { readonly kind: string; readonly id: string }
      if (change.kind === kind && change.id === id) setNewest(change)
    }
    for (const name of ['created', 'updated', 'deleted']) stream.addEventListener(name, onChange)
    return () => stream.close()
  }, [collection, id, etag])
  return newest
}
