/** A number with its noun: `1 record`, `2 records`. @param what the noun in the singular, whose plural has an `s` */
export function pluralize(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`
}
