import type { DocumentType } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import { formatSecond, parseInstant } from '../../core/value-types.js'
import type { JsonObject } from './record-format-interface.js'

/*
 * What both versions of the interface render in the same way.
 */

export const mediaTypeOf = { JSON: 'application/json', XML: 'application/xml' } satisfies Record<
  DocumentType,
  string
>

/** The name of a member of a record, and the function that renders its value. */
export type RenderedMember = readonly [
  name: string,
  /** @param root beginning of URLs, such as `https://example.org/api/v1` */
  render: (revision: Revision, root: string) => unknown,
]

/** Renders members that are not undefined, an empty text or an empty list. @see docs/contract.md#empty-members */
export function renderMembers(
  members: readonly RenderedMember[],
  revision: Revision,
  root: string,
): JsonObject {
  const present: Record<string, unknown> = {}
  for (const [name, render] of members) {
    const value = render(revision, root)
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue
    present[name] = value
  }
  return present
}

/** The date CREATED of the record, else the time of its first revision, to the second. */
export function createdAt({ record, createdAt }: Revision): string {
  const stated = record.dates?.find(date => date.type === 'CREATED')?.value
  return formatSecond(stated === undefined ? createdAt : parseInstant(stated, 'CREATED'))
}
