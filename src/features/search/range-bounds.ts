import type { DeclaredField } from '../../core/records/record.js'
import type { ValueRange } from './search-condition.js'
import { keywordWithoutRange, undeclaredField, unreadableBound } from './values/undeclared-field.js'

/** Which end of a range a bound is. A day, month or year as the end `until` includes its last moment. */
export type RangeSide = 'from' | 'until'

const day = 24 * 60 * 60 * 1000

/** `2024`, `2024-05`, `2024-05-01`, or an instant of ISO 8601. */
const timePattern = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(T[\d:.]{4,16}(?:Z|[+-]\d{2}:?\d{2})?)?)?)?$/

/**
 * The number that a bound stands for. A date may be given in milliseconds since 1970, in 11 digits or more: fewer
 * digits are rather a misspelt year or day, such as `20240501`.
 * @param as what the bound is read as; a `date` becomes milliseconds since 1970
 * @returns undefined for a text that is no such number or date
 */
export function rangeNumber(value: string, as: 'number' | 'date', side: RangeSide): number | undefined {
  const text = value.trim()
  if (as === 'date') return /^-?\d{11,15}$/.test(text) ? Number(text) : timeOf(text, side)
  const number = Number(text)
  return text !== '' && Number.isFinite(number) ? number : undefined
}

/**
 * The number that a value in a document stands for; undefined for a text that is no number or date.
 * @param isNumber whether the value is a JSON number: as a date, 5 to 15 digits are then milliseconds since 1970
 */
export function valueNumber(
  { text, isNumber = false }: { readonly text: string; readonly isNumber?: boolean },
  as: 'number' | 'date',
): number | undefined {
  if (as === 'number') return rangeNumber(text, as, 'from')
  return isNumber && /^-?\d{5,15}$/.test(text) ? Number(text) : timeOf(text.trim(), 'from')
}

/** Milliseconds since 1970; undefined for a text that is no time, or a day that the calendar does not have. */
function timeOf(text: string, side: RangeSide): number | undefined {
  const parts = timePattern.exec(text)
  if (!parts) return undefined
  const [, year = '', month, date, clock] = parts
  const start = Date.parse(`${year}-${month ?? '01'}-${date ?? '01'}T00:00:00Z`)
  if (Number.isNaN(start)) return undefined
  // `Date` reads February 30 as March 1.
  if (date !== undefined && new Date(start).getUTCDate() !== Number(date)) return undefined
  if (clock !== undefined) {
    const instant = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(clock) ? text : `${text}Z`)
    return Number.isNaN(instant) ? undefined : instant
  }
  if (side === 'from') return start
  if (date !== undefined) return start + day - 1
  const next = new Date(start)
  if (month === undefined) next.setUTCFullYear(next.getUTCFullYear() + 1)
  else next.setUTCMonth(next.getUTCMonth() + 1)
  return next.getTime() - 1
}

/** Whether a record field has ranges of numbers or of dates; undefined for a field without ranges. */
export function rangeKindOf(field: string): 'number' | 'date' | undefined {
  if (field === 'year') return 'number'
  return field === 'created' || field === 'updated' ? 'date' : undefined
}

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
