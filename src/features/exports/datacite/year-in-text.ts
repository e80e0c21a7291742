/**
 * The year of a date, in the four digits that DataCite demands: the one at the beginning of the text, or else the only
 * one in a short text such as `May 2017`.
 */
export function yearInText(text: string): string | undefined {
  const [, first] = /^\s*(\d{4})(?!\d)/.exec(text) ?? []
  if (first !== undefined || text.length > 40 || text.startsWith('info:')) return first
  const [only, ...more] = text.match(/(?<!\d)\d{4}(?!\d)/g) ?? []
  return more.length === 0 ? only : undefined
}
