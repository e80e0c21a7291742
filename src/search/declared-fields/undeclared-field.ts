import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { documentPrefix } from '../search-condition.js'

/**
 * The refusal of a field that no schema declares. Every engine answers so.
 * @param what what the field is asked for, such as "range"
 */
export function undeclaredField(field: string, what: string, as: 'number' | 'keyword'): Error {
  const path = field.startsWith(documentPrefix) ? field.slice(documentPrefix.length) : field
  const member = JSON.stringify({
    search: { fields: [{ path, as, ...(as === 'keyword' && { facet: true }) }] },
  })
  const advice = field.startsWith(documentPrefix)
    ? ` Declare it in the record of the schema of these documents: ${member.slice(1, -1)}.`
    : ''
  return malformedRequest(`The field "${truncate(field)}" has no ${what}.${advice}`)
}

/** The refusal of an order by a field that has none. */
export function fieldWithoutOrder(field: string): Error {
  if (field.startsWith(documentPrefix)) return undeclaredField(field, 'order', 'keyword')
  return malformedRequest(`The hits cannot be ordered by "${truncate(field)}".`)
}

/** The refusal of a facet of a field that has none. */
export function fieldWithoutFacet(field: string): Error {
  if (field.startsWith(documentPrefix)) return undeclaredField(field, 'facet', 'keyword')
  return malformedRequest(`There is no facet "${truncate(field)}".`)
}

/** The refusal of a bound that the values of a field cannot be compared with. */
export function unreadableBound(field: string, value: string, kind: 'number' | 'date'): Error {
  const form = kind === 'date' ? 'a time such as 2024-05-01' : 'a number'
  return malformedRequest(`A range of "${truncate(field)}" needs ${form}, not "${truncate(value)}".`)
}
