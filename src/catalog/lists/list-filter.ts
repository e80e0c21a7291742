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

/** Says whether a record passes the filters of a list, except those for resources and readers. */
export function matchesFilters(
  kind: Collection,
  query: ListQuery,
  { time, documentType, schemaId }: Filtered,
): boolean {
  const { schemaIds, documentTypes, from, until } = query
  if (kind === 'metadata' && schemaIds && !schemaIds.some(id => id === schemaId)) return false
  if (documentTypes && !documentTypes.includes(documentType)) return false
  if (from !== undefined && until !== undefined) return from <= time && time <= until
  if (from !== undefined) return time > from
  return until === undefined || time < until
}
