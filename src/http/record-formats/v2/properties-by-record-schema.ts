import { malformedRequest } from '../../../core/problem.js'
import type { ObjectShape, SchemaNode } from '../../../core/records/record-json-schema.js'
import { parseSecond } from '../../../core/value-types.js'
import { wrongMember } from '../read-json-properties.js'
import type { JsonObject } from '../record-format-interface.js'

/*
 * Reads and renders members of a version 2 record by the JSON Schema of the stored record, which is the only list of
 * members and of values of enumerations. @see docs/contract.md#record-members
 */

/** Names of members and indexes in lists that lead to a value. */
type Trail = (string | number)[]

/**
 * Reads and checks the members that `shape` names. Other members of the object, and the ids of entries, are ignored.
 * The result omits null, an empty text, an empty list and an object without members.
 * @throws ProblemError `malformed-request` that names the member, and the values an enumeration allows
 */
export function readByShape(shape: ObjectShape, json: JsonObject): Record<string, unknown> {
  return readObject(shape, json, [])
}

function readObject(shape: ObjectShape, json: JsonObject, trail: Trail): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const name in shape.properties) {
    trail.push(name)
    const value = readShape(shape.properties[name] as SchemaNode, json[name], trail)
    if (value !== undefined) read[name] = value
    else if (shape.required.includes(name)) throw malformedRequest(`The member ${pathOf(trail)} is missing.`)
    trail.pop()
  }
  return read
}

function readShape(shape: SchemaNode, value: unknown, trail: Trail): unknown {
  if (value === undefined || value === null || value === '') return undefined
  switch (shape.type) {
    case 'object':
      if (!isObject(value)) throw wrongMember(pathOf(trail), value, 'an object')
      if (shape.additionalProperties) return presentMembers(value)
      checkId(value, trail)
      return presentMembers(readObject(shape, value, trail))
    case 'array':
      if (!Array.isArray(value)) throw wrongMember(pathOf(trail), value, 'a list')
      return readItems(shape.items, value, trail)
    case 'string':
      if (typeof value !== 'string') throw wrongMember(pathOf(trail), value, 'a text')
      return shape.format === 'instant' ? parseSecond(value, pathOf(trail)) : oneOf(shape, value, trail)
    case 'boolean':
      if (typeof value !== 'boolean') throw wrongMember(pathOf(trail), value, 'true or false')
      return value
    default:
      if (typeof value !== 'number' || !Number.isFinite(value))
        throw wrongMember(pathOf(trail), value, 'a number')
      return value
  }
}

function readItems(
  shape: SchemaNode,
  list: readonly unknown[],
  trail: Trail,
): readonly unknown[] | undefined {
  const items: unknown[] = []
  for (const [index, item] of list.entries()) {
    if (isEmptied(shape, item)) continue
    trail.push(index)
    const read = readShape(shape, item, trail)
    trail.pop()
    if (read !== undefined) items.push(read)
  }
  return items.length === 0 ? undefined : items
}

/** A path such as `creators[0].familyName`, built for an error only: a record may have tens of thousands of values. */
function pathOf([first, ...others]: Trail): string {
  return others.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : `${path}.${step}`),
    String(first),
  )
}

/**
 * Whether the required text of an entry, such as that of a description or a date, is null or empty: this is how clients
 * remove entries. The text of an identifier must not be empty.
 */
function isEmptied(shape: SchemaNode, item: unknown): boolean {
  if (shape.type !== 'object' || !isObject(item)) return false
  const [name] = shape.required
  if (name === undefined || 'identifierType' in shape.properties) return false
  return shape.properties[name]?.type === 'string' && (item[name] === null || item[name] === '')
}

/** The members; undefined for an empty object, which counts as absent so that it gets the default. */
function presentMembers(
  members: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  for (const _ in members) return members
  return undefined
}

function oneOf(shape: Extract<SchemaNode, { type: 'string' }>, value: string, trail: Trail): string {
  const spelled = shape.spellings?.get(value) ?? value
  if (!shape.enum || shape.enum.includes(spelled)) return spelled
  throw wrongMember(
    pathOf(trail),
    value,
    `one of ${shape.enum.filter(name => isSpelled(name, shape)).join(', ')}`,
  )
}

/** Whether a name has the recommended spelling. */
function isSpelled(name: string, shape: Extract<SchemaNode, { type: 'string' }>): boolean {
  return (shape.spellings?.get(name) ?? name) === name
}

/**
 * Refuses an id that is not a whole number. The value of an id is ignored, because the server sets ids.
 * @see docs/contract.md#members-that-the-server-sets
 */
function checkId(json: JsonObject, trail: Trail): void {
  const { id } = json
  if (id === undefined || id === null || Number.isInteger(id)) return
  if (typeof id === 'string' && /^\d+$/.test(id)) return
  throw wrongMember(`${pathOf(trail)}.id`, id, 'a whole number')
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Adds an id to every object: its position in its list, from 1.
 * @see docs/contract.md#members-that-the-server-sets
 */
export function withListPositions(value: unknown, position = 1): unknown {
  if (Array.isArray(value)) return value.map((item: unknown, index) => withListPositions(item, index + 1))
  if (!isObject(value)) return value
  const members: Record<string, unknown> = { id: position }
  for (const name in value) members[name] = withListPositions(value[name])
  return members
}
