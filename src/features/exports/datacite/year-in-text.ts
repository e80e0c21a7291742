/** The year at the beginning of a date of ISO 8601; undefined for one before the year 0, and for an open beginning. */
export function yearOfDate(date: string): string | undefined {
  return /^\d{4}(?!\d)/.exec(date)?.[0]
}

/**
 * The year of a date, in the four digits that DataCite demands: the one at the beginning of the text, or else the only
 * one in a short text such as `May 2017`. A year before the year 0, such as `-0044`, has no such digits.
 */
export function yearInText(text: string): string | undefined {
  const first = yearOfDate(text.trimStart())
  if (first !== undefined || text.length > 40 || /^(?:info:|\s*-\d)/.test(text)) return first
  const [only, ...more] = text.match(/(?<!\d)\d{4}(?!\d)/g) ?? []
  return more.length === 0 ? only : undefined
}
