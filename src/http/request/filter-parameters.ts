import type { ParsedUrlQuery } from 'node:querystring'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { ListQuery } from '../../core/records/list-query.js'
import { type Instant, parseQueryInstant, toInstant } from '../../core/value-types.js'
import { parseSchemaUrl } from '../record-formats/record-urls.js'
import { repeatedParameter, singleParameter } from './query-parameters.js'
import { parseSort } from './sort-parameter.js'

/** @see contract, 3.3 */
export function schemaFilters(query: ParsedUrlQuery): ListQuery {
  const mimeTypes = repeatedParameter(query, 'mimeType').map(type => type.toLowerCase())
  const documentTypes: DocumentType[] = []
  if (mimeTypes.some(type => type.includes('json'))) documentTypes.push('JSON')
  if (mimeTypes.some(type => type.includes('xml'))) documentTypes.push('XML')
  return { ...(mimeTypes.length === 0 ? {} : { documentTypes }), ...common(query, 'schema') }
}

/**
 * @param bases what an URL of ours may begin with: a schema may be named by its URL
 * @see spec, "Metadata records (version 1)"; contract, "Filters"
 */
export function metadataFilters(query: ParsedUrlQuery, bases: readonly string[]): ListQuery {
  // spelled as existing clients spell it, and right
  const resources = alternatives([
    ...repeatedParameter(query, 'resoureId'),
    ...repeatedParameter(query, 'resourceId'),
  ])
  const schemaIds = alternatives(repeatedParameter(query, 'schemaId')).map(
    value => parseSchemaUrl(value, bases)?.schemaId ?? value,
  )
  return {
    ...(resources.length === 0 ? {} : { resources }),
    ...(schemaIds.length === 0 ? {} : { schemaIds }),
    ...common(query, 'metadata'),
  }
}

/** Each value and its comma-joined parts: an identifier may have a comma itself. */
function alternatives(values: readonly string[]): readonly string[] {
  const parts = values.flatMap(value => [value, ...value.split(',').flatMap(part => [part, part.trim()])])
  return [...new Set(parts)].filter(part => part !== '')
}

/** What both kinds of lists understand. */
function common(query: ParsedUrlQuery, kind: Collection): Pick<ListQuery, 'from' | 'until' | 'sort'> {
  const from = instantIn(query, 'from')
  const until = instantIn(query, 'until')
  const sort = parseSort(query, kind)
  return {
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
    ...(sort === undefined ? {} : { sort }),
  }
}

/**
 * An end of a span of time. Records have whole milliseconds: an end between two of them stays between them.
 * @throws ProblemError `malformed-request`
 */
function instantIn(query: ParsedUrlQuery, name: string): Instant | undefined {
  const text = singleParameter(query, name)
  if (text === undefined) return undefined
  const instant = parseQueryInstant(text, `The parameter ${name}`)
  return /[.,]\d{3}0*[1-9]/.test(text) ? toInstant(instant + 0.5) : instant
}
