import { malformedRequest } from '../../../core/problem.js'
import { parseQueryText } from '../../search/query-text/parse-query-text.js'
import {
  type SearchCondition,
  type WeightedField,
  withoutDocumentPrefix,
} from '../../search/search-condition.js'
import { fieldNamesOf, readOperator, weightedFields } from './compile-text-query.js'
import { fieldOfWords, oneField } from './field-names.js'
import { readMembers, readString } from './read-json.js'

const members = [
  'query',
  'fields',
  'default_field',
  'default_operator',
  'boost',
  'lenient',
  'analyze_wildcard',
  '_name',
]

/**
 * Compiles a query such as `{"query_string": {"query": "steel -draft"}}`. The grammar is that of the search box: all
 * words must match.
 * @param name `query_string` or `simple_query_string`
 * @param value the value of the member `name`
 * @throws ProblemError `malformed-request`
 */
export function compileQueryString(name: string, value: unknown): SearchCondition {
  const what = `[${name}] query`
  const sent = readMembers(value, what, members)
  if (readOperator(sent.default_operator, 'and', what) === 'or')
    throw malformedRequest(`${what} does not support [default_operator] [or]: write OR between the words`)
  const { condition } = parseQueryText(readString(sent.query, `[query] of ${what}`))
  const fields = weightedFields(fieldNamesOf(sent.fields ?? sent.default_field, what))
  return withFields(condition, fields)
}

/** Adds `fields` to text conditions that name no field, and translates the field names of all other conditions. */
function withFields(
  condition: SearchCondition,
  fields: readonly WeightedField[] | undefined,
): SearchCondition {
  switch (condition.type) {
    case 'text': {
      const named =
        condition.fields?.map(({ field, weight }) => ({ field: fieldOfText(field, fieldOfWords), weight })) ??
        fields
      return named === undefined ? condition : { ...condition, fields: named }
    }
    case 'exists':
    case 'equals':
    case 'range':
      return { ...condition, field: fieldOfText(condition.field, oneField) }
    case 'and':
    case 'or':
      return { ...condition, conditions: condition.conditions.map(part => withFields(part, fields)) }
    case 'not':
      return { type: 'not', condition: withFields(condition.condition, fields) }
    case 'all':
      return condition
  }
}

/** Translates a name such as `metadataDocument.title`, which the grammar of the search box takes for a path. */
function fieldOfText(field: string, read: typeof oneField): string {
  const name = withoutDocumentPrefix(field)
  const isOfEntry = /^(?:metadataDocument\.|metadataRecord\.|lastUpdate$|created$)/.test(name)
  return isOfEntry ? read(name, 'the query') : field
}
