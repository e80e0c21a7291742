import type { SqlValue } from '../../../catalog/database/sqlite-connection.js'

/** Columns of `indexed` with whole values, and how a wanted value is converted before it is compared. */
const conversions: Readonly<Record<string, (value: string) => SqlValue>> = {
  schema: value => value,
  id: value => value,
  kind: value => value.toLowerCase(),
  state: value => value.toUpperCase(),
  type: value => value.toUpperCase(),
  language: value => value.toLowerCase(),
  year: value => (/^\d{1,4}$/.test(value.trim()) ? Number(value) : -1),
}

/** SQL of the column of `indexed` that has the values of a record field; undefined if there is none. */
export function columnSql(field: string): string | undefined {
  if (!Object.hasOwn(conversions, field))
    return field === 'created' || field === 'updated' ? `f.${field}` : undefined
  return field === 'language' ? 'lower(f.language)' : `f.${field}`
}

/** Wanted values in the form in which the column has them; undefined for a field without a column of whole values. */
export function columnValues(field: string, wanted: readonly string[]): readonly SqlValue[] | undefined {
  const convert = Object.hasOwn(conversions, field) ? conversions[field] : undefined
  return convert && wanted.map(convert)
}
