import fc from 'fast-check'
import { recordJsonSchema, type SchemaNode } from '../../../src/core/records/record-json-schema.js'

/**
 * Generates version 2 records as clients send them, with every member and every enumeration value that the server
 * stores.
 */
export function arbitraryVersion2Record(): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const { id, schema, doNotSync, search, crosswalk, state, resourceType, ...members } =
    recordJsonSchema.properties
  const arbitraries = Object.entries(members).map(([name, shape]) => [name, memberOf(name, shape)])
  return fc.record(Object.fromEntries(arbitraries), { requiredKeys: ['titles'] })
}

function memberOf(name: string, shape: SchemaNode): fc.Arbitrary<unknown> {
  if (name === 'titles' && shape.type === 'array') {
    return fc.array(arbitrary(shape.items), { minLength: 1, maxLength: 3 })
  }
  if (name === 'publicationYear') return fc.stringMatching(/^[0-9]{4}$/)
  // An access list has one entry for each subject.
  if (name === 'acls' && shape.type === 'array') {
    return fc.uniqueArray(arbitrary(shape.items), {
      selector: entry => (entry as { sid: string }).sid,
      maxLength: 3,
    })
  }
  return arbitrary(shape)
}

const anyText = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' })

/** A text with a visible character, as identifiers need one. */
const visibleText = fc.tuple(anyText, fc.constantFrom('x', '7', 'ß')).map(parts => parts.join(''))

function arbitrary(shape: SchemaNode): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'object': {
      const isIdentifier = 'identifierType' in shape.properties
      const members = Object.entries(shape.properties).map(
        ([name, inner]): [string, fc.Arbitrary<unknown>] => [
          name,
          isIdentifier && name === 'value' ? visibleText : arbitrary(inner),
        ],
      )
      return fc.record(Object.fromEntries(members), {
        requiredKeys: isIdentifier ? [...shape.required, 'identifierType'] : [...shape.required],
      })
    }
    case 'array':
      return fc.array(arbitrary(shape.items), { minLength: 1, maxLength: 3 })
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: 1 })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true, min: -180, max: 180 })
    default:
      if (shape.enum) return fc.constantFrom(...shape.enum)
      if (shape.format === 'instant') {
        return fc.constantFrom(
          '2026',
          '2026-11',
          '2026-11-21',
          '2026-11-21T05:12:00.120Z',
          '2026-11-21T05:12+02:00',
        )
      }
      return anyText
  }
}
