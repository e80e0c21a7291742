import type { DeclaredField } from '../../../core/records/record.js'
import { type RangeSide, rangeNumber } from '../range-bounds.js'
import type { ValueRange } from '../search-condition.js'
import { keywordWithoutRange, undeclaredField, unreadableBound } from './undeclared-field.js'

/** A bound of a range: a number, or milliseconds since 1970. */
interface NumberBound {
  readonly side: RangeSide
  readonly number: number
  readonly inclusive: boolean
}

/**
 * Reads the bounds of a range. Every engine compares with these numbers.
 * @param as the form of the values of the field; undefined if it has no ranges
 * @returns one or two bounds; none for a range without bounds
 * @throws ProblemError `malformed-request` for a field without ranges, or for bounds that it cannot have
 */
export function readRange(
  field: string,
  range: ValueRange,
  as: DeclaredField['as'] | undefined,
): readonly NumberBound[] {
  if (as === undefined) throw undeclaredField(field, 'range', 'number')
  if (as === 'keyword') throw keywordWithoutRange(field)
  return (['from', 'until'] as const).flatMap(side => {
    const bound = range[side]
    if (!bound) return []
    // An exclusive bound begins after the end of a day or a year, or ends before its beginning.
    const end = (side === 'from') === bound.inclusive ? 'from' : 'until'
    const number = rangeNumber(bound.value, as, end)
    if (number === undefined) throw unreadableBound(field, bound.value, as)
    return [{ side, number, inclusive: bound.inclusive }]
  })
}
