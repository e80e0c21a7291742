import type { DescribedValue } from '../../../core/records/document-description.js'

/*
 * Values of a DataCite document with their sources.
 */

/** Where a value comes from. */
export type ValueSource =
  | { readonly from: 'record' }
  | { readonly from: 'document'; readonly path: string }
  | { readonly from: 'schema' }

/** A value with its source. */
export interface Sourced<T> {
  readonly value: T
  readonly source: ValueSource | undefined
}

export const fromRecord: ValueSource = { from: 'record' }

export function stated<T>(values: readonly T[]): readonly Sourced<T>[] {
  return values.map(value => ({ value, source: fromRecord }))
}

export function described<T>(values: readonly DescribedValue<T>[] = []): readonly Sourced<T>[] {
  return values.map(({ value, path }) => ({
    value,
    source: path === undefined ? { from: 'schema' } : { from: 'document', path },
  }))
}

/** The values of the record or, without any, those of the document, which are distinct. */
export function either<T>(
  ofRecord: readonly T[],
  ofDocument: readonly DescribedValue<T>[] | undefined,
): readonly Sourced<T>[] {
  return ofRecord.length > 0 ? distinct(stated(ofRecord)) : described(ofDocument)
}

export function single<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value]
}

/** The entries without those whose value is equal to an earlier one. */
export function distinct<E extends { readonly value: unknown }>(entries: readonly E[]): readonly E[] {
  if (entries.length < 2) return entries
  const known = new Set<string>()
  return entries.filter(({ value }) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return !known.has(text) && known.add(text)
  })
}
