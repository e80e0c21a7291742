import {
  type ObjectShape,
  recordJsonSchema,
  type SchemaNode,
  type TextShape,
} from '../../core/records/record-json-schema.js'
import { isId } from '../../core/value-types.js'
import { normalizeTime } from './validate-record.js'

/**
 * Whether a value parsed from JSON has the shape of a record in its stored form. Does not check derived members. Fast
 * and without allocations, because it runs for each record of a whole history.
 *
 * Fast path. Benchmark "rebuild of the catalog": reading records takes a third of the time. Plain path:
 * `findRecordFaults`.
 * @returns false also for the few stored forms that have an empty text as a required member
 */
export function isCanonicalRecord(value: unknown): boolean {
  return isStored(recordJsonSchema, value)
}

function isStored(shape: SchemaNode, value: unknown): boolean {
  switch (shape.type) {
    case 'string':
      return typeof value === 'string' && isStoredText(shape, value)
    case 'boolean':
      return typeof value === 'boolean' && value !== shape.default
    case 'array':
      return Array.isArray(value) && value.length > 0 && value.every(item => isStored(shape.items, item))
    case 'object':
      return (
        typeof value === 'object' && value !== null && !Array.isArray(value) && isStoredObject(shape, value)
      )
    default: {
      const { type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = shape
      if (
        typeof value !== 'number' ||
        Object.is(value, -0) ||
        (type === 'integer' && !Number.isInteger(value))
      )
        return false
      return value >= minimum && value <= maximum
    }
  }
}

function isStoredText(shape: TextShape, value: string): boolean {
  if (value === '' || value === shape.default) return false
  if (shape.enum && (!shape.enum.includes(value) || (shape.spellings?.get(value) ?? value) !== value))
    return false
  if (shape.format === 'id') return isId(value)
  return shape.format !== 'instant' || normalizeTime(value) === value
}

function isStoredObject(shape: ObjectShape, value: object): boolean {
  const { order, required } = membersOf(shape)
  let after = -1
  let left = required.size
  for (const name of Object.keys(value)) {
    const member = order.get(name)
    if (!member || member.place <= after) return false
    if (!isStored(member.shape, (value as Readonly<Record<string, unknown>>)[name])) return false
    after = member.place
    if (required.has(name)) left--
  }
  return after >= 0 && left === 0
}

interface Members {
  readonly order: ReadonlyMap<string, { readonly place: number; readonly shape: SchemaNode }>
  readonly required: ReadonlySet<string>
}

const known = new WeakMap<ObjectShape, Members>()

/** The members of a shape, computed once. */
export function membersOf(shape: ObjectShape): Members {
  let members = known.get(shape)
  if (!members) {
    const entries = Object.entries(shape.properties)
    members = {
      order: new Map(entries.map(([name, inner], place) => [name, { place, shape: inner }])),
      required: new Set(shape.required),
    }
    known.set(shape, members)
  }
  return members
}
