import { useQuery } from '@tanstack/react-query'
import { type RecordName, readDocument, readRecord, readTitle, titleOf } from '../api/records.js'

/*
 * What several pages read of a record. Pages that are open after each other share what was read.
 */

/** The record as it is now, or as it was in a version. */
export function useRecord(record: RecordName, version?: number) {
  return useQuery({
    queryKey: ['record', record.collection, record.id, version],
    queryFn: ({ signal }) => readRecord(record, signal, version),
  })
}

/** The title of a record; its id until it is read. */
export function useRecordTitle(record: RecordName): string {
  const { data } = useRecord(record)
  const title = useQuery({
    queryKey: ['title', record.collection, record.id, data?.etag],
    queryFn: ({ signal }) => (data ? readTitle(record.collection, data.record, signal) : record.id),
    enabled: data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return title.data ?? (data ? titleOf(data.record) : record.id)
}

/** The text of a version. It never changes. @param version undefined: nothing is read */
export function useVersionText(record: RecordName, version: number | undefined) {
  return useQuery({
    queryKey: ['document', record.collection, record.id, version],
    queryFn: ({ signal }) => readDocument(record, version, signal),
    enabled: version !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
