import { malformedRequest } from '../../../core/problem.js'
import { formatInstant, toInstant } from '../../../core/value-types.js'
import type { RangeBound, SearchCondition, ValueRange } from '../../search/search-condition.js'
import { anyOf, textCondition } from './condition-builders.js'
import { fieldOfWords, oneField, recordText, timeFields } from './field-names.js'
import {
  type JsonScalar,
  readList,
  readMembers,
  readMembersOrValue,
  readOnlyMember,
  readScalar,
  readString,
  requireMeaning,
  shortenedName,
} from './read-json.js'

/** Limit of the values of one `terms` query. */
const maxValues = 10_000

const ignored = ['boost', '_name']

/**
 * The condition that the field has one of these values. A time becomes a range. For {@link recordText}, which has no
 * whole values, the words of a value have to stand in this order anywhere in the record.
 * @throws ProblemError `malformed-request`
 */
export function valuesCondition(field: string, values: readonly JsonScalar[]): SearchCondition {
  if (field === recordText) {
    const fields = [{ field, weight: 1 }]
    return anyOf(
      values.map(value => textCondition({ text: String(value), type: 'phrase', operator: 'and', fields })),
    )
  }
  if (!timeFields.has(field)) return { type: 'equals', field, values: values.map(String) }
  return anyOf(
    values.map(value => {
      const bound = { value: timeOf(value), inclusive: true }
      return { type: 'range', field, range: { from: bound, until: bound } }
    }),
  )
}

/**
 * Compiles a query for records whose field has exactly the value, such as `{"term": {"pid": "10.1234/5"}}`, or with
 * `{"value": …}`.
 * @param value the value of `term`
 * @throws ProblemError `malformed-request`
 */
export function compileTerm(value: unknown): SearchCondition {
  const what = '[term] query'
  const [name, sent] = readOnlyMember(value, what)
  const members = readMembersOrValue(sent, what, 'value', ['case_insensitive', ...ignored])
  if (members.case_insensitive === true) throw malformedRequest(`${what} does not support [case_insensitive]`)
  return valuesCondition(fieldOfWords(name, what), [readScalar(members.value, `[value] of ${what}`)])
}

/**
 * Compiles a query for records whose field has one of the values, such as `{"terms": {"pid": ["10.1234/5"]}}`; a
 * look-up in another index is refused.
 * @param value the value of `terms`
 * @throws ProblemError `malformed-request`
 */
export function compileTerms(value: unknown): SearchCondition {
  const what = '[terms] query'
  const { boost: _, _name: __, ...fields } = readMembers(value, what)
  const [name, sent] = readOnlyMember(fields, what)
  const values = readList(sent, `[${shortenedName(name)}] of ${what}`, maxValues)
  return valuesCondition(
    fieldOfWords(name, what),
    values.map(entry => readScalar(entry, `a value of ${what}`)),
  )
}

/**
 * Compiles a query for records by their ids, or by the `_id` of hits, such as `{"ids": {"values": ["overview-7"]}}`.
 * @param value the value of `ids`
 * @throws ProblemError `malformed-request`
 */
export function compileIds(value: unknown): SearchCondition {
  const what = '[ids] query'
  const { values } = readMembers(value, what, ['values', ...ignored])
  const ids = readList(values, `[values] of ${what}`, maxValues).map(id =>
    readString(id, `a value of ${what}`),
  )
  return { type: 'equals', field: 'id', values: ids.map(recordIdOf) }
}

/** The id of the record if `id` is its address, as in the `_id` of a hit; any other text stays as it is. */
function recordIdOf(id: string): string {
  return /\/api\/v[12]\/metadata\/([^/?#]+)$/.exec(id)?.[1] ?? id
}

/**
 * Compiles a query for records that have any value in the field, such as `{"exists": {"field": "pid"}}`.
 * @param value the value of `exists`
 * @throws ProblemError `malformed-request`
 */
export function compileExists(value: unknown): SearchCondition {
  const what = '[exists] query'
  const { field } = readMembers(value, what, ['field', ...ignored])
  return { type: 'exists', field: oneField(readString(field, `[field] of ${what}`), what) }
}

/**
 * Compiles a query for records with a value between two bounds, each of which may be absent. Accepts
 * `relation` without effect. Example: `{"range": {"metadataRecord.publicationYear": {"gte": 2000, "lt": 2010}}}`.
 * @param value the value of `range`
 * @throws ProblemError `malformed-request`
 */
export function compileRange(value: unknown): SearchCondition {
  const what = '[range] query'
  const [name, sent] = readOnlyMember(value, what)
  const members = readMembers(sent, what, ['gte', 'gt', 'lte', 'lt', 'format', 'relation', ...ignored])
  requireBoundFormat(members.format, what)
  if (members.relation !== undefined) readString(members.relation, `[relation] of ${what}`)
  const field = oneField(name, what)
  const from = bound(field, members.gte, members.gt, what)
  const until = bound(field, members.lte, members.lt, what)
  if (!from && !until) return { type: 'exists', field }
  return { type: 'range', field, range: { ...(from && { from }), ...(until && { until }) } }
}

/** Formats of bounds that a query may name. Bounds in each of them are read, whichever is named. */
const boundFormats = [
  'strict_date_optional_time',
  'date_optional_time',
  'epoch_millis',
  'yyyy-MM-dd',
  'yyyy-MM',
  'yyyy',
]

/**
 * Checks the formats that a query names for its bounds, such as `strict_date_optional_time||epoch_millis`.
 * @throws ProblemError `malformed-request` for a format in which bounds are not read
 */
export function requireBoundFormat(value: unknown, what: string): void {
  const formats = typeof value === 'string' ? value.split('||') : [value]
  for (const format of formats) requireMeaning(format, `[format] of ${what}`, boundFormats)
}

function bound(field: string, inclusive: unknown, exclusive: unknown, what: string): RangeBound | undefined {
  const isInclusive = exclusive === undefined || exclusive === null
  const value = isInclusive ? inclusive : exclusive
  return value === undefined || value === null
    ? undefined
    : rangeBound(field, readScalar(value, `a bound of ${what}`), isInclusive)
}

/** Reads one bound of a range. @throws ProblemError `malformed-request` for a text that is not a time */
function rangeBound(field: string, value: JsonScalar, inclusive: boolean): RangeBound {
  return { value: timeFields.has(field) ? timeOf(value) : String(value), inclusive }
}

/** The bucket `[from, to)` of a `range` aggregation. @throws ProblemError `malformed-request` */
export function bucketRange(
  field: string,
  from: JsonScalar | undefined,
  to: JsonScalar | undefined,
): ValueRange {
  return {
    ...(from !== undefined && { from: rangeBound(field, from, true) }),
    ...(to !== undefined && { until: rangeBound(field, to, false) }),
  }
}

/**
 * Converts milliseconds since 1970, or an ISO 8601 time, to an ISO 8601 time.
 * @throws ProblemError `malformed-request`
 */
function timeOf(value: JsonScalar): string {
  const milliseconds =
    typeof value === 'number' || /^-?\d{5,16}$/.test(String(value))
      ? Number(value)
      : Date.parse(String(value))
  if (Number.isInteger(milliseconds) && milliseconds >= earliest && milliseconds <= latest)
    return formatInstant(toInstant(milliseconds))
  throw malformedRequest(
    `failed to parse date field [${shortenedName(String(value))}]: write milliseconds since 1970 or a time such as 2024-03-14T09:26:53Z`,
  )
}

/** The first and the last time that a request may name, in milliseconds since 1970: years have four digits. */
const earliest = Date.parse('0000-01-01T00:00:00Z')
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
