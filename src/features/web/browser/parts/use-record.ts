import { useQuery } from '@tanstack/react-query'
import { type RecordName, readDocument, readRecord } from '../api/records.js'
import { historyWords } from '../words-of-history.js'

/*
 * What several pages read of a record. Pages that are open after each other share what was read.
 */

/**
 * The record as it is now, or as it was in a version.
 * @param options `enabled: false`: only what another part of the page reads; `retryOnMount: false`: a refusal stays
 */
export function useRecord(
  record: RecordName,
  version?: number,
  options: { readonly enabled?: false; readonly retryOnMount?: false } = {},
) {
  return useQuery({
    queryKey: ['record', record.collection, record.id, version],
    queryFn: ({ signal }) => readRecord(record, signal, version),
    ...options,
  })
}

/** The title of a record; its id until it is read. */
export function useRecordTitle(record: RecordName): string {
  return useRecord(record).data?.title ?? record.id
}

/** The schema that a text is checked by, for people: its title, with its id. @param title undefined: it cannot be read */
export function schemaInWords({ id }: { readonly id: string }, title = id): string {
  return title === id ? id : historyWords.restore.schema(title, id)
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
