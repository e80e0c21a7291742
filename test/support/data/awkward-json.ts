import fc from 'fast-check'
import type { Json } from '../../../src/core/json/try-parse.js'

/** Names that JavaScript gives a meaning. In JSON they are names as any other. */
export const awkwardNames = [
  ...[
    'toString',
    'valueOf',
    'constructor',
    'hasOwnProperty',
    '__proto__',
    'prototype',
    'length',
    'then',
    'toJSON',
  ],
  ...[
    '__defineGetter__',
    'isPrototypeOf',
    'propertyIsEnumerable',
    'toLocaleString',
    'Symbol',
    'default',
    '$data',
  ],
]

const names = fc.oneof(
  fc.constantFrom(...awkwardNames),
  fc.constantFrom('a', 'b', '0', ''),
  fc.string({ maxLength: 4 }),
)

/** Any JSON value. Its objects often have members with {@link awkwardNames}. */
export const awkwardJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false, 0, 1, -1, 0.1, 1e300, '', 'a', 'constructor'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map(members => Object.fromEntries(members)),
  ),
})).value

/** A text that two JSON values have in common exactly if they are equal. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalJson).join()}]`
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member as Json)}`,
  )
  return `{${members.sort().join()}}`
}
