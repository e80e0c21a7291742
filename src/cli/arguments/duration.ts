const millisecondsOf = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export type DurationUnit = keyof typeof millisecondsOf

/**
 * Parses a duration such as `500ms` or `7d`.
 * @param units the units that may be used
 * @returns milliseconds; undefined if the text is no duration in one of the units
 */
export function parseDuration(text: string, units: readonly DurationUnit[]): number | undefined {
  const [, number, unit] = /^(\d{1,6})([a-z]+)$/.exec(text) ?? []
  const known = units.find(each => each === unit)
  return known && Number(number) * millisecondsOf[known]
}
