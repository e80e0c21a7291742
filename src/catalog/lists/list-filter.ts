import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { ListQuery } from '../../core/records/list-query.js'
import type { Instant } from '../../core/value-types.js'

/** What the filters of a list look at, where one record's row is enough to tell. */
export interface Filtered {
  readonly time: Instant
  readonly documentType: DocumentType
  /** Of metadata. */
  readonly schemaId: string | undefined
}

/** Says whether a record passes the filters of a list; resources and readers apart, which are in other tables. */
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
