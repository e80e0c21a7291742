import { malformedRequest } from '../../../core/problem.js'
import { allOf, type SearchCondition, type WeightedField } from '../../search/search-condition.js'
import { anyOf, type TextQuery, type TextQueryType, textCondition, wordsOf } from './condition-builders.js'
import { fieldOfWords, isWholeValue, searchedField, timeFields, withoutWords } from './field-names.js'
import {
  readList,
  readMembers,
  readMembersOrValue,
  readOnlyMember,
  readScalar,
  readString,
  shortenedName,
} from './read-json.js'
import { valuesCondition } from './value-conditions.js'

/**
 * Members of text queries that change only scores, or how errors in a query are tolerated. They are accepted because
 * existing frontends send them, and have no effect.
 */
const withoutEffect = [
  'boost',
  'lenient',
  'fuzziness',
  '_name',
  'tie_breaker',
  'max_expansions',
  'auto_generate_synonyms_phrase_query',
]

/**
 * Compiles a query for the words of a text in one field, such as `{"match": {"metadataDocument.title": "steel"}}`, or
 * with `{"query": "steel", "operator": "and"}`.
 * @param name such as `match_phrase`
 * @param value the value of the member `name`
 * @throws ProblemError `malformed-request`
 */
export function compileMatch(name: string, type: TextQueryType, value: unknown): SearchCondition {
  const what = `[${name}] query`
  const [field, sent] = readOnlyMember(value, what)
  const members = readMembersOrValue(sent, what, 'query', ['operator', ...withoutEffect])
  const query: TextQuery = {
    text: String(readScalar(members.query, `[query] of ${what}`)),
    type,
    operator: readOperator(members.operator, 'or', what),
  }
  return conditionOf(query, [field])
}

/** For each `type` of `multi_match`, how words are combined. Only `cross_fields` finds words in different fields. */
const typeOfMultiMatch: Readonly<Record<string, TextQueryType>> = {
  best_fields: 'words',
  most_fields: 'words',
  cross_fields: 'words',
  phrase: 'phrase',
  phrase_prefix: 'phrase_prefix',
  bool_prefix: 'bool_prefix',
}

/**
 * Compiles a query for the words of a text in several fields, by default in all fields, such as
 * `{"multi_match": {"query": "steel", "fields": ["metadataDocument.title^2"]}}`.
 * @param value the value of `multi_match`
 * @throws ProblemError `malformed-request`
 */
export function compileMultiMatch(value: unknown): SearchCondition {
  const what = '[multi_match] query'
  const members = readMembers(value, what, ['query', 'fields', 'type', 'operator', ...withoutEffect])
  const name = members.type === undefined ? 'best_fields' : readString(members.type, `[type] of ${what}`)
  const type = Object.hasOwn(typeOfMultiMatch, name) ? typeOfMultiMatch[name] : undefined
  if (type === undefined) throw malformedRequest(`${what} does not support [type] [${shortenedName(name)}]`)
  const query: TextQuery = {
    text: String(readScalar(members.query, `[query] of ${what}`)),
    type,
    operator: readOperator(members.operator, 'or', what),
  }
  const names = fieldNamesOf(members.fields, what)
  const words = wordsOf(query.text)
  if (name !== 'cross_fields' || query.operator === 'or' || words.length < 2) return conditionOf(query, names)
  return allOf([...new Set(words)].map(word => conditionOf({ ...query, text: word }, names)))
}

/** Limit of the fields of one text query. */
const maxFields = 100

/**
 * The names in the member `fields` of a query; `*` (all fields) without a name.
 * @throws ProblemError `malformed-request`
 */
export function fieldNamesOf(value: unknown, what: string): readonly string[] {
  if (value === undefined) return ['*']
  const names = Array.isArray(value) ? readList(value, `[fields] of ${what}`, maxFields) : [value]
  if (names.length === 0) return ['*']
  return names.map(name => readString(name, `[fields] of ${what}`))
}

/**
 * The operator between the words of a query.
 * @param absent the result if the query names no operator
 * @throws ProblemError `malformed-request`
 */
export function readOperator(value: unknown, absent: 'and' | 'or', what: string): 'and' | 'or' {
  if (value === undefined || value === null) return absent
  const name = readString(value, `[operator] of ${what}`).toLowerCase()
  if (name === 'and' || name === 'or') return name
  throw malformedRequest(`[operator] of ${what} must be [and] or [or], not [${shortenedName(name)}]`)
}

/**
 * The condition of a text query on fields such as `metadataDocument.title^2`. A field that ends in `.keyword`, and a
 * time that is the only field, is compared with the whole text. Other times are ignored.
 * @throws ProblemError `malformed-request`
 */
function conditionOf(query: TextQuery, names: readonly string[]): SearchCondition {
  const alternatives: SearchCondition[] = []
  for (const { name } of names.map(parseWeight)) {
    const field = searchedField(name)
    if (field === undefined || field === withoutWords) continue
    const isTime = timeFields.has(field)
    if (isWholeValue(name) || (isTime && names.length === 1))
      alternatives.push(valuesCondition(field, [query.text]))
  }
  const fields = weightedFields(names.filter(name => !isWholeValue(parseWeight(name).name)))
  if (fields === undefined) alternatives.push(textCondition(query))
  else if (fields.length > 0) alternatives.push(textCondition({ ...query, fields }))
  return anyOf(alternatives)
}

/**
 * The weighted fields that names such as `metadataDocument.title^2` stand for, without times and fields without words.
 * @returns undefined if a name stands for all fields
 * @throws ProblemError `malformed-request`
 */
export function weightedFields(names: readonly string[]): readonly WeightedField[] | undefined {
  const weighted: WeightedField[] = []
  for (const { name, weight } of names.map(parseWeight)) {
    const field = searchedField(name)
    if (field === undefined) return undefined
    if (field === withoutWords) continue
    if (!timeFields.has(field)) weighted.push({ field, weight })
  }
  return weighted
}

/**
 * Splits `name^weight`. A weight that is not a positive number counts as 1: existing frontends send `title^NaN` and
 * `title^undefined` for fields without a weight.
 */
function parseWeight(text: string): { readonly name: string; readonly weight: number } {
  const caret = text.lastIndexOf('^')
  if (caret < 0) return { name: text, weight: 1 }
  const weight = Number(text.slice(caret + 1))
  return {
    name: text.slice(0, caret),
    weight: Number.isFinite(weight) && weight > 0 ? Math.min(weight, 1000) : 1,
  }
}

/**
 * Compiles a query for words that begin with a text, such as `{"prefix": {"metadataDocument.title": "ste"}}`, or with
 * `{"value": "ste"}`.
 * @param value the value of `prefix`
 * @throws ProblemError `malformed-request`
 */
export function compilePrefix(value: unknown): SearchCondition {
  const what = '[prefix] query'
  const [name, sent] = readOnlyMember(value, what)
  const others = ['case_insensitive', 'rewrite', ...withoutEffect]
  const members = readMembersOrValue(sent, what, 'value', others)
  const text = String(readScalar(members.value, `[value] of ${what}`))
  const fields = [{ field: fieldOfWords(name, what), weight: 1 }]
  return { type: 'text', text, match: 'prefix', fields }
}
