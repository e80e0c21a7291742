import { useQuery } from '@tanstack/react-query'
import { unlessMissing } from '../api/client.js'
import type { MetastoreRecord, RecordName } from '../api/records.js'
import { type Description, descriptionOf, readDescription } from './record-description.js'

interface Described {
  /** Undefined until it is read. */
  readonly about: Description | undefined
  readonly failed: Error | null
}

/** What a version of a record says about what it describes. @param record undefined: it is not read yet */
export function useDescription(
  { collection, id }: RecordName,
  record: MetastoreRecord | undefined,
): Described {
  const version = Number(record?.version ?? 0)
  const read = useQuery({
    queryKey: ['description', id, version],
    // A server without crosswalks knows what the record says.
    queryFn: async ({ signal }) => (await unlessMissing(readDescription(id, version, signal))) ?? null,
    enabled: record !== undefined && collection === 'metadata',
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isOfRecord = collection === 'schemas' || read.data === null
  return {
    about: isOfRecord ? record && descriptionOf(record) : (read.data ?? undefined),
    failed: read.error,
  }
}
