import { useQuery } from '@tanstack/react-query'
import { type RecordName, readDocument, readRecord, readTitle, titleOf } from '../api/records.js'
import { words } from '../words.js'

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
  const { data } = useRecord(record)
  const title = useQuery({
    queryKey: ['title', record.collection, record.id, data?.etag],
    queryFn: ({ signal }) => (data ? readTitle(record.collection, data.record, signal) : record.id),
    enabled: data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return title.data ?? (data ? titleOf(data.record) : record.id)
}

/**
 * The schema that a text is checked by, for people: its title, with its id.
 * @param isNeeded whether it is read
 * @returns undefined until it is read; the id, if it cannot be read
 */
export function useSchemaName(schema: { readonly id: string } | undefined, isNeeded = true) {
  const id = schema?.id ?? ''
  const read = useQuery({
    queryKey: ['schema name', id],
    queryFn: async ({ signal }) => titleOf((await readRecord({ collection: 'schemas', id }, signal)).record),
    enabled: isNeeded && schema !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data: title = id } = read
  if (read.isPending) return undefined
  return title === id ? id : words.restore.schema(title, id)
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
