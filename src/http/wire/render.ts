import type { Revision } from '../../catalog/catalog.js'
import { type DocumentType, formatSecond, parseInstant } from '../../core/values.js'
import type { Json } from './wire.js'

/*
 * What the versions of the interface show alike.
 */

export const mimeTypeOf = { JSON: 'application/json', XML: 'application/xml' } satisfies Record<
  DocumentType,
  string
>

/** Leaves out what is undefined, an empty text or an empty list. @see contract, 1.7 */
export function present(members: Json): Json {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => {
      return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
    }),
  )
}

/** To the second: the date CREATED of the record, else the time of its first revision. */
export function createdAt({ record, createdAt }: Revision): string {
  const stated = record.dates?.find(date => date.type === 'CREATED')?.value
  return formatSecond(stated === undefined ? createdAt : parseInstant(stated, 'CREATED'))
}
