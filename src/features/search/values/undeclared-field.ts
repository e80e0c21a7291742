import { malformedRequest } from '../../../core/problem.js'
import { isDeclarablePath } from '../../../core/records/record.js'
import { truncate } from '../../../core/value-types.js'
import { documentPrefix, entryDocumentPrefix, withoutDocumentPrefix } from '../search-condition.js'

/**
 * The error for a field that no schema declares. Every engine throws it.
 * @param what what the field is asked for, such as "range"
 */
export function undeclaredField(field: string, what: string, as: 'number' | 'keyword'): Error {
  const advice = field.startsWith(documentPrefix) ? adviceFor(field.slice(documentPrefix.length), as) : ''
  return malformedRequest(`The field "${truncate(field)}" has no ${what}.${advice}`)
}

function adviceFor(path: string, as: 'number' | 'keyword'): string {
  if (!isDeclarablePath(path))
    return ' Write the whole path as a schema declares it: names of members or elements, joined by dots, without asterisks.'
  if (path.startsWith(entryDocumentPrefix))
    return ` Paths begin at the root of the document: write "${truncate(path.slice(entryDocumentPrefix.length))}".`
  const field = { path, as, ...(as === 'keyword' && { facet: true }) }
  return ` Declare it in the record of the schema of these documents: ${searchMember(field)}.`
}

function searchMember(field: object): string {
  return JSON.stringify({ search: { fields: [field] } }).slice(1, -1)
}

/** The error for a range of a field that schemas declare as keyword. */
export function keywordWithoutRange(field: string): Error {
  const path = withoutDocumentPrefix(field)
  return malformedRequest(
    `The field "${truncate(field)}" has no range, because it is declared as keyword. Declare it as number or date, in ` +
      `the record of the schema of these documents: ${searchMember({ path, as: 'number' })}.`,
  )
}

/** The error for a search that orders hits by a field without an order. */
export function fieldWithoutOrder(field: string): Error {
  if (field.startsWith(documentPrefix)) return undeclaredField(field, 'order', 'keyword')
  return malformedRequest(`The hits cannot be ordered by "${truncate(field)}".`)
}

/** The error for a facet of a field that has no facet. */
export function fieldWithoutFacet(field: string): Error {
  if (field.startsWith(documentPrefix)) return undeclaredField(field, 'facet', 'keyword')
  return malformedRequest(`There is no facet "${truncate(field)}".`)
}

/** The error for a bound of a range that the values of a field cannot be compared with. */
export function unreadableBound(field: string, value: string, kind: 'number' | 'date'): Error {
  const form = kind === 'date' ? 'a time such as 2024-05-01' : 'a number'
  return malformedRequest(`A range of "${truncate(field)}" needs ${form}, not "${truncate(value)}".`)
}
