import type { Visibility } from '../../core/records/list-query.js'
import type { DeclaredFields, DeclaredPath } from '../declared-fields/declared-fields.js'
import { undeclaredField, unreadableBound } from '../declared-fields/undeclared-field.js'
import { type RangeSide, rangeKindOf, rangeNumber } from '../range-bounds.js'
import {
  documentPrefix,
  isRecordField,
  type SearchCondition,
  type TextMatch,
  type ValueRange,
  type WeightedField,
} from '../search-condition.js'

/** A query for the cluster. This module writes it; no part of a request becomes a query directly. */
export type ClusterQuery = Readonly<Record<string, unknown>>

const everything: ClusterQuery = { match_all: {} }
const nothing: ClusterQuery = { match_none: {} }

/** Fields of a text condition without fields, with the weights of the embedded index. */
const anywhere = ['metastore.title^8', 'metastore.text^3', 'metadataText']

/** Fields of the index entry whose values are times. */
const timeFields: Readonly<Record<string, string>> = { created: 'created', updated: 'lastUpdate' }

/**
 * The query of a condition.
 * @throws ProblemError `malformed-request` for a range of a field that has none
 */
export function queryOf(condition: SearchCondition, fields: DeclaredFields): ClusterQuery {
  switch (condition.type) {
    case 'all':
      return everything
    case 'text':
      return textQuery(condition.text, condition.match, condition.fields)
    case 'equals':
      return anyOf(condition.values.map(value => equalsQuery(condition.field, value, fields)))
    case 'range':
      return rangeQuery(condition.field, condition.range, fields)
    case 'exists':
      return anyOf(existingFields(condition.field).map(field => ({ exists: { field } })))
    case 'and':
      return { bool: { must: condition.conditions.map(part => queryOf(part, fields)) } }
    case 'or':
      return anyOf(condition.conditions.map(part => queryOf(part, fields)))
    case 'not':
      return { bool: { must_not: [queryOf(condition.condition, fields)] } }
  }
}

function anyOf(queries: readonly ClusterQuery[]): ClusterQuery {
  const [first = nothing] = queries
  return queries.length <= 1 ? first : { bool: { should: queries, minimum_should_match: 1 } }
}

/** Each word is in one of the fields. In a prefix, the last word may be the beginning of a longer word. */
function textQuery(
  text: string,
  match: TextMatch,
  weighted: readonly WeightedField[] | undefined,
): ClusterQuery {
  const fields = weighted ? weighted.flatMap(wordFields) : anywhere
  if (fields.length === 0) return nothing
  const words = text.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0) return everything
  if (match === 'phrase') return { multi_match: { query: text, fields, type: 'phrase', lenient: true } }
  const last = words.length - 1
  const each = words.map((word, at) => ({
    multi_match: {
      query: word,
      fields,
      type: match === 'prefix' && at === last ? 'bool_prefix' : 'best_fields',
      operator: 'and',
      lenient: true,
    },
  }))
  return each.length === 1 ? (each[0] ?? nothing) : { bool: { must: each } }
}

function wordFields({ field, weight }: WeightedField): readonly string[] {
  const boost = weight === 1 ? '' : `^${weight}`
  if (field === 'document') return [`metadataText${boost}`]
  if (isRecordField(field)) return field in timeFields ? [] : [`metastore.words.${field}${boost}`]
  return documentFields(field).map(name => name + boost)
}

/** The fields of a path into the document. `*.name` is a path that ends in `name`. */
function documentFields(field: string): readonly string[] {
  const path = pathOf(field)
  return path.startsWith('*.')
    ? [`metadataDocument.${path}`, `metadataDocument.${path.slice(2)}`]
    : [`metadataDocument.${path}`]
}

/** The name of an XML attribute contains its element: `text@lang`. */
function pathOf(field: string): string {
  return field.slice(documentPrefix.length).replace(/\.@([^.@]+)$/, '@$1')
}

/** Longest whole value that a document has in the index. */
const longestValue = 1024

function equalsQuery(field: string, value: string, fields: DeclaredFields): ClusterQuery {
  if (field in timeFields)
    return rangeQuery(field, { from: { value, inclusive: true }, until: { value, inclusive: true } }, fields)
  const term = { value: value.trim(), case_insensitive: true }
  if (isRecordField(field)) return { term: { [`metastore.values.${field}`]: term } }
  const text = value.trim().slice(0, longestValue)
  const names = documentFields(field)
  if (names.length === 1) return anyOf(names.map(name => ({ term: { [`${name}.keyword`]: term } })))
  return { multi_match: { query: text, fields: names.map(name => `${name}.keyword`), lenient: true } }
}

/** The fields to check for a value: a record with a value has at least one of them. */
function existingFields(field: string): readonly string[] {
  if (field in timeFields) return [timeFields[field] ?? field]
  if (field === 'document') return ['metadataText']
  return isRecordField(field) ? [`metastore.values.${field}`] : documentFields(field)
}

/** @throws ProblemError `malformed-request` for a field without ranges, or for bounds that it cannot have */
function rangeQuery(field: string, range: ValueRange, fields: DeclaredFields): ClusterQuery {
  const declared = fields.declared(field)
  const kind = declared ? declared.as : rangeKindOf(field)
  if (kind === undefined || kind === 'keyword') throw undeclaredField(field, 'range', 'number')
  if (!range.from && !range.until)
    return anyOf(existingFields(field).map(name => ({ exists: { field: name } })))
  const bounds = boundsOf(range, (value, side) => requiredNumber(field, value, kind, side))
  const name = declared ? declaredField(declared) : orderedField(field)
  const inRange = { range: { [name]: { ...bounds, ...(kind === 'date' && { format: 'epoch_millis' }) } } }
  return declared ? { bool: { filter: [inRange, declaringQuery(declared)] } } : inRange
}

/** The documents of the schemas that declare a path. */
export function declaringQuery({ schemas }: DeclaredPath): ClusterQuery {
  return { terms: { 'metastore.values.schema': schemas } }
}

function boundsOf({ from, until }: ValueRange, read: (value: string, side: RangeSide) => number) {
  return {
    // After the end of a day or a year, or before its beginning.
    ...(from && { [from.inclusive ? 'gte' : 'gt']: read(from.value, from.inclusive ? 'from' : 'until') }),
    ...(until && { [until.inclusive ? 'lte' : 'lt']: read(until.value, until.inclusive ? 'until' : 'from') }),
  }
}

/** @throws ProblemError `malformed-request` */
function requiredNumber(field: string, value: string, kind: 'number' | 'date', side: RangeSide): number {
  const number = rangeNumber(value, kind, side)
  if (number !== undefined) return number
  throw unreadableBound(field, value, kind)
}

/** The field of a declared path with its values in one form. */
export function declaredField({ path, as: declaredAs }: DeclaredPath, as = declaredAs): string {
  return `metadataDocument.${path}.${as}`
}

/** The field with the order of the values of a record field. */
export function orderedField(field: string): string {
  if (field in timeFields) return timeFields[field] ?? field
  return field === 'year' ? 'metastore.year' : `metastore.values.${field}`
}

/** The documents that a caller may see. */
export function visibleQuery({ readableBy, readableIds = [], readsUnrevoked }: Visibility): ClusterQuery {
  if (!readableBy) return everything
  return anyOf([
    { terms: { read: readableBy } },
    ...(readableIds.length > 0 ? [{ terms: { 'metastore.values.id': readableIds } }] : []),
    ...(readsUnrevoked ? [{ bool: { must_not: [{ term: { 'metastore.values.state': 'REVOKED' } }] } }] : []),
  ])
}
