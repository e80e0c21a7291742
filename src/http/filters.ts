import type { ParsedUrlQuery } from 'node:querystring'
import type { ListQuery } from '../catalog/catalog.js'
import { type DocumentType, type Instant, parseInstant } from '../core/values.js'
import { several, single } from './query.js'
import { schemaOfUrl } from './wire/urls.js'

/** @see contract, 3.3 */
export function schemaFilters(query: ParsedUrlQuery): ListQuery {
  const mimeTypes = several(query, 'mimeType').map(type => type.toLowerCase())
  const documentTypes: DocumentType[] = []
  if (mimeTypes.some(type => type.includes('json'))) documentTypes.push('JSON')
  if (mimeTypes.some(type => type.includes('xml'))) documentTypes.push('XML')
  return { ...(mimeTypes.length === 0 ? {} : { documentTypes }), ...timeFilters(query) }
}

/**
 * @param bases what an URL of ours may begin with: a schema may be named by its URL
 * @see spec, "Metadata records (version 1)"; contract, "Filters"
 */
export function metadataFilters(query: ParsedUrlQuery, bases: readonly string[]): ListQuery {
  // spelled as existing clients spell it, and right
  const resources = alternatives([...several(query, 'resoureId'), ...several(query, 'resourceId')])
  const schemaIds = alternatives(several(query, 'schemaId')).map(
    value => schemaOfUrl(value, bases)?.schemaId ?? value,
  )
  return {
    ...(resources.length === 0 ? {} : { resources }),
    ...(schemaIds.length === 0 ? {} : { schemaIds }),
    ...timeFilters(query),
  }
}

/** Each value and its comma-joined parts: an identifier may have a comma itself. */
function alternatives(values: readonly string[]): readonly string[] {
  const parts = values.flatMap(value => [value, ...value.split(',')])
  return [...new Set(parts)].filter(part => part !== '')
}

function timeFilters(query: ParsedUrlQuery): { readonly from?: Instant; readonly until?: Instant } {
  const from = single(query, 'from')
  const until = single(query, 'until')
  return {
    ...(from === undefined ? {} : { from: parseInstant(from, 'The parameter from') }),
    ...(until === undefined ? {} : { until: parseInstant(until, 'The parameter until') }),
  }
}
