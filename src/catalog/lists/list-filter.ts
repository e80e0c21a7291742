import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { ListQuery } from '../../core/records/list-query.js'
import type { Instant } from '../../core/value-types.js'

/** The values of one record that the filters of a list compare. */
interface Filtered {
  readonly time: Instant
  readonly documentType: DocumentType
  /** Undefined for schemas. */
  readonly schemaId: string | undefined
}

type MetadataFilters = Pick<ListQuery, 'schemaIds' | 'resources'>

const ignored: MetadataFilters = {}

/** The filters that only lists of metadata have. A list of schemas ignores them. */
export function metadataOnly(kind: Collection, query: ListQuery): MetadataFilters {
  return kind === 'metadata' ? query : ignored
}

/** Says whether a record passes the filters of a list, except those for resources and readers. */
export function matchesFilters(
  kind: Collection,
  query: ListQuery,
  { time, documentType, schemaId }: Filtered,
): boolean {
  const { documentTypes, from, until } = query
  const { schemaIds } = metadataOnly(kind, query)
  if (schemaIds && !schemaIds.some(id => id === schemaId)) return false
  if (documentTypes && !documentTypes.includes(documentType)) return false
  if (from !== undefined && until !== undefined) return from <= time && time <= until
  if (from !== undefined) return time > from
  return until === undefined || time < until
}
