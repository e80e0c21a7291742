import { malformed } from '../../core/problem.js'
import type { ObjectShape, Shape } from '../../core/record-schema.js'
import { parseSecond } from '../../core/values.js'
import { wrong } from './members.js'
import type { Json } from './wire.js'

/*
 * Members of a version 2 record, read and shown by the shape of what is stored, so that there is one list of members
 * and of what an enumeration allows. @see contract, 2.3
 */

/**
 * The members of an object that `shape` has, checked; others are ignored, as are the ids of entries. Null, an empty
 * text, an empty list and an object without members are left out.
 * @param at where the object stands in the record, for messages; empty: the record itself
 * @throws ProblemError `malformed-request` that names the member, and the values an enumeration allows
 */
export function readMembers(shape: ObjectShape, json: Json, at = ''): Record<string, unknown> {
  const read = Object.entries(shape.properties).flatMap(([name, inner]) => {
    const path = at === '' ? name : `${at}.${name}`
    const value = readShape(inner, json[name], path)
    if (value === undefined && shape.required.includes(name)) {
      throw malformed(`The member ${path} is missing.`)
    }
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(read)
}

function readShape(shape: Shape, value: unknown, at: string): unknown {
  if (value === undefined || value === null || value === '') return undefined
  switch (shape.type) {
    case 'object':
      if (!isObject(value)) throw wrong(at, value, 'an object')
      checkId(value, at)
      return presentMembers(readMembers(shape, value, at))
    case 'array': {
      if (!Array.isArray(value)) throw wrong(at, value, 'a list')
      const items = value
        .map((item: unknown, index) =>
          isEmptied(shape.items, item) ? undefined : readShape(shape.items, item, `${at}[${index}]`),
        )
        .filter(item => item !== undefined)
      return items.length === 0 ? undefined : items
    }
    case 'string':
      if (typeof value !== 'string') throw wrong(at, value, 'a text')
      return shape.format === 'instant' ? parseSecond(value, at) : oneOf(shape, value, at)
    case 'boolean':
      if (typeof value !== 'boolean') throw wrong(at, value, 'true or false')
      return value
    default:
      if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(at, value, 'a number')
      return value
  }
}

/**
 * Whether the text that an entry cannot do without, such as that of a description or a date, is null or empty: clients
 * remove entries so. An identifier has to say something.
 */
function isEmptied(shape: Shape, item: unknown): boolean {
  if (shape.type !== 'object' || !isObject(item)) return false
  const [name] = shape.required
  if (name === undefined || 'identifierType' in shape.properties) return false
  return shape.properties[name]?.type === 'string' && (item[name] === null || item[name] === '')
}

/** An object that says nothing is none, so that it has the default of one that is absent. */
function presentMembers(members: Record<string, unknown>): Record<string, unknown> | undefined {
  return Object.keys(members).length === 0 ? undefined : members
}

function oneOf(shape: Extract<Shape, { type: 'string' }>, value: string, at: string): string {
  const spelled = shape.spellings?.get(value) ?? value
  if (!shape.enum || shape.enum.includes(spelled)) return spelled
  throw wrong(at, value, `one of ${shape.enum.filter(name => isSpelled(name, shape)).join(', ')}`)
}

/** Other spellings are taken, but not recommended. */
function isSpelled(name: string, shape: Extract<Shape, { type: 'string' }>): boolean {
  return (shape.spellings?.get(name) ?? name) === name
}

/** Ids are the server's; what is no number is a mistake all the same. @see contract, "Server-set members" */
function checkId(json: Json, at: string): void {
  const { id } = json
  if (id === undefined || id === null || Number.isInteger(id)) return
  if (typeof id === 'string' && /^\d+$/.test(id)) return
  throw wrong(`${at}.id`, id, 'a whole number')
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * What is stored, as version 2 shows it: every object with its id, the place it has in its list from 1.
 * @see contract, "Server-set members"
 */
export function numbered(value: unknown, place = 1): unknown {
  if (Array.isArray(value)) return value.map((item: unknown, at) => numbered(item, at + 1))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, numbered(member)])
  return { id: place, ...Object.fromEntries(members) }
}
