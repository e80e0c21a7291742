/** The end of a range that a bound is. A day or a year as an upper bound includes its last moment. */
export type RangeSide = 'from' | 'until'

const day = 24 * 60 * 60 * 1000

/** A time in a query: `2024`, `2024-05`, `2024-05-01`, an instant of ISO 8601, or milliseconds. */
const timePattern = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(T[\d:.]{4,16}(?:Z|[+-]\d{2}:?\d{2})?)?)?)?$/

/**
 * The number that a bound stands for.
 * @param as `number`; `date`: milliseconds since 1970
 * @returns undefined for any other text
 */
export function rangeNumber(value: string, as: 'number' | 'date', side: RangeSide): number | undefined {
  const text = value.trim()
  if (as === 'number') {
    const number = Number(text)
    return text !== '' && Number.isFinite(number) ? number : undefined
  }
  if (/^-?\d{5,15}$/.test(text)) return Number(text)
  const parts = timePattern.exec(text)
  if (!parts) return undefined
  const [, year = '', month, date, clock] = parts
  if (clock !== undefined) {
    const instant = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(clock) ? text : `${text}Z`)
    return Number.isNaN(instant) ? undefined : instant
  }
  const start = Date.parse(`${year}-${month ?? '01'}-${date ?? '01'}T00:00:00Z`)
  if (Number.isNaN(start)) return undefined
  if (side === 'from') return start
  if (date !== undefined) return start + day - 1
  const next = month === undefined ? Date.UTC(Number(year) + 1, 0) : Date.UTC(Number(year), Number(month))
  return next - 1
}

/** How the values of a record field are ordered; undefined for a field without ranges. */
export function rangeKindOf(field: string): 'number' | 'date' | undefined {
  if (field === 'year') return 'number'
  return field === 'created' || field === 'updated' ? 'date' : undefined
}
