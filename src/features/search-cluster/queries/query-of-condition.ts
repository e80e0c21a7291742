import type { Visibility } from '../../../core/records/list-query.js'
import { rangeKindOf, readRange } from '../../search/range-bounds.js'
import {
  documentPrefix,
  isRecordField,
  type SearchCondition,
  type TextMatch,
  type ValueRange,
  type WeightedField,
} from '../../search/search-condition.js'
import { comparedValue, foldedWords, foldValue } from '../../search/values/fold-words.js'
import { comparedName, ownerField, singleFields, valueFields } from '../../search/values/record-values.js'
import { undeclaredField } from '../../search/values/undeclared-field.js'
import { comparedForm, declaredFieldName, type ValueForm } from '../cluster/declared-values.js'
import { markerBelow, markerOf } from '../cluster/path-tokens.js'
import type { DeclaredFields, DeclaredPath } from './declared-fields.js'

/** A query for the cluster. This module writes it; no part of a request becomes a query directly. */
export type ClusterQuery = Readonly<Record<string, unknown>>

const everything: ClusterQuery = { match_all: {} }
const nothing: ClusterQuery = { match_none: {} }

/** The fields that are searched for a text condition that names none, with the weights of the embedded index. */
const anywhere = ['metastore.title^8', 'metastore.text^3', 'metadataText']

/** Fields of the index entry whose values are times. */
const timeFields: Readonly<Record<string, string>> = { created: 'created', updated: 'lastUpdate' }

/**
 * Translates a condition to a query for the cluster.
 * @throws ProblemError `malformed-request` for a range of a field that has none
 */
export function queryOf(condition: SearchCondition, fields: DeclaredFields): ClusterQuery {
  switch (condition.type) {
    case 'all':
      return everything
    case 'text':
      return textQuery(condition.text, condition.match, condition.fields)
    case 'equals':
      if (condition.isDeclared && !fields.declared(condition.field))
        throw undeclaredField(condition.field, 'whole values', 'keyword')
      return equalsQuery(condition.field, condition.values, fields)
    case 'range':
      return rangeQuery(condition.field, condition.range, fields)
    case 'exists':
      return existsQuery(condition.field)
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

/**
 * The query for a text. The words between two blanks, as in `state-of-the-art`, are a run and stand in this order. One
 * field has to contain all runs; without fields, each run may be in another field. For `prefix` and `phrase_prefix`,
 * the last word may be the beginning of a longer word.
 */
function textQuery(
  text: string,
  match: TextMatch,
  weighted: readonly WeightedField[] | undefined,
): ClusterQuery {
  const parts = match === 'phrase' || match === 'phrase_prefix' ? [text] : text.split(/\s+/)
  const runs = parts.map(part => ({ part, words: foldedWords(part) })).filter(({ words }) => words.length > 0)
  if (weighted?.length === 0) return nothing
  if (runs.length === 0) return text.trim() === '' ? everything : nothing
  const isBeginning = (index: number) =>
    (match === 'prefix' || match === 'phrase_prefix') && index === runs.length - 1
  const runsIn = (fields: readonly string[], paths: readonly WeightedField[]) =>
    allOf(
      runs.map(({ part, words }, index) =>
        bestOf([
          ...(fields.length > 0 ? [fieldsQuery(part, words, isBeginning(index), fields)] : []),
          ...paths.map(path => wordsAtPath(path, words, isBeginning(index))),
        ]),
      ),
    )
  const fields = weighted ? weighted.flatMap(wordFields) : anywhere
  const paths = weighted?.filter(({ field }) => isDocumentPath(field)) ?? []
  if (!weighted || runs.length === 1) return runsIn(fields, paths)
  return bestOf([...fields.map(field => runsIn([field], [])), ...paths.map(path => runsIn([], [path]))])
}

function allOf(queries: readonly ClusterQuery[]): ClusterQuery {
  const [first = nothing] = queries
  return queries.length <= 1 ? first : { bool: { must: queries } }
}

function bestOf(queries: readonly ClusterQuery[]): ClusterQuery {
  const [first = nothing] = queries
  return queries.length <= 1 ? first : { dis_max: { queries } }
}

/** The query for words that stand in this order in one of the fields. */
function fieldsQuery(
  query: string,
  words: readonly string[],
  isBeginning: boolean,
  fields: readonly string[],
): ClusterQuery {
  if (words.length > 1) {
    const ending = isBeginning && { max_expansions: maxPhraseEndings }
    const type = isBeginning ? 'phrase_prefix' : 'phrase'
    return { multi_match: { query, fields, type, lenient: true, ...ending } }
  }
  const type = isBeginning ? 'bool_prefix' : 'best_fields'
  return { multi_match: { query, fields, type, operator: 'and', lenient: true } }
}

/** The cluster's fields that have the words of a record field; none for a path into the document. */
function wordFields({ field, weight }: WeightedField): readonly string[] {
  const boost = weight === 1 ? '' : `^${weight}`
  if (field === 'document') return [`metadataText${boost}`]
  if (field === 'record') return [`metastore.text${boost}`]
  if (!isRecordField(field) || field in timeFields) return []
  return [`metastore.words.${field}${boost}`]
}

function isDocumentPath(field: string): boolean {
  return field.startsWith(documentPrefix)
}

/** The field with the words of the document and their paths. @see path-tokens.ts */
const pathWords = 'metastore.paths'
/** Limit of the words that a beginning at the end of a phrase may stand for. */
const maxPhraseEndings = 1000

/** The query for words that stand in this order at a path. */
function wordsAtPath(
  { field, weight }: WeightedField,
  words: readonly string[],
  isBeginning: boolean,
): ClusterQuery {
  const marker = markerOf(pathOf(field))
  const tokens = words.map(word => marker + word)
  const [first = marker] = tokens
  const boost = weight
  if (tokens.length === 1) {
    return isBeginning
      ? { prefix: { [pathWords]: { value: first, boost } } }
      : { term: { [pathWords]: { value: first, boost } } }
  }
  const query = tokens.join(' ')
  return isBeginning
    ? { match_phrase_prefix: { [pathWords]: { query, boost, max_expansions: maxPhraseEndings } } }
    : { match_phrase: { [pathWords]: { query, boost } } }
}

function pathOf(field: string): string {
  return field.slice(documentPrefix.length)
}

function equalsQuery(field: string, wanted: readonly string[], fields: DeclaredFields): ClusterQuery {
  if (field in timeFields) {
    const bounds = wanted.map(value => ({ value, inclusive: true }))
    return anyOf(bounds.map(bound => rangeQuery(field, { from: bound, until: bound }, fields)))
  }
  // One query for all values: a cluster takes few queries in one search, and many values in one query.
  const names = wanted.flatMap(value => comparedName(field, value) ?? [])
  if (['id', ownerField].includes(field) || singleFields.has(field))
    return { terms: { [orderedField(field)]: names } }
  if (valueFields.has(field)) return { terms: { [orderedField(field)]: wanted.map(foldValue) } }
  const declared = fields.declared(field)
  if (declared) {
    const values = wanted.map(value => comparedValue(value, declared.as))
    return { terms: { [declaredField(declared, 'folded')]: values } }
  }
  // Without a folded form: descriptions are compared as they are written.
  if (field === 'description') return { terms: { [orderedField(field)]: wanted } }
  if (!isDocumentPath(field)) return nothing
  // In the index, a marker stands before and after each value. With both, the phrase is a whole value.
  const phrases = wanted.map(value => foldedWords(value)).filter(words => words.length > 0)
  return anyOf(phrases.map(words => wordsAtPath({ field, weight: 1 }, ['', ...words, ''], false)))
}

/** The query for records with a value of the field. */
function existsQuery(field: string): ClusterQuery {
  const has = (name: string) => ({ exists: { field: name } })
  if (field in timeFields) return has(timeFields[field] ?? field)
  if (field === 'document') return has('metadataText')
  if (isRecordField(field)) return has(`metastore.values.${field}`)
  if (!isDocumentPath(field)) return nothing
  const below = markerBelow(pathOf(field))
  return anyOf([
    { term: { [pathWords]: markerOf(pathOf(field)) } },
    ...(below === undefined ? [] : [{ prefix: { [pathWords]: below } }]),
  ])
}

/**
 * The query for values of a field in a range.
 * @throws ProblemError `malformed-request` for a field without ranges, or for bounds that it cannot have
 */
function rangeQuery(field: string, range: ValueRange, fields: DeclaredFields): ClusterQuery {
  const declared = fields.declared(field)
  const kind = declared?.as ?? rangeKindOf(field)
  const bounds = readRange(field, range, kind)
  if (bounds.length === 0) return existsQuery(field)
  const comparisons = bounds.map(
    ({ side, number, inclusive }) =>
      [`${side === 'from' ? 'gt' : 'lt'}${inclusive ? 'e' : ''}`, number] as const,
  )
  const name = declared ? declaredField(declared) : orderedField(field)
  const isTime = declared === undefined && kind === 'date'
  const format = isTime && { format: 'epoch_millis' }
  return { range: { [name]: { ...Object.fromEntries(comparisons), ...format } } }
}

/**
 * The cluster's field with the values of a declared path in one form. Documents whose schema does not declare the path
 * in a way that has this form have no value there.
 */
export function declaredField({ path, as }: DeclaredPath, form: ValueForm = comparedForm(as)): string {
  return declaredFieldName(path, form)
}

/** The cluster's field by which a record field is sorted and compared. */
export function orderedField(field: string): string {
  if (field in timeFields) return timeFields[field] ?? field
  return field === 'year' ? 'metastore.year' : `metastore.values.${field}`
}

/** The query for the documents that a caller may see. */
export function visibleQuery({ readableBy, readableIds = [], readsUnrevoked }: Visibility): ClusterQuery {
  if (!readableBy) return everything
  return anyOf([
    { terms: { read: readableBy } },
    ...(readableIds.length > 0 ? [{ terms: { 'metastore.values.id': readableIds } }] : []),
    ...(readsUnrevoked ? [{ bool: { must_not: [{ term: { 'metastore.values.state': 'REVOKED' } }] } }] : []),
  ])
}
