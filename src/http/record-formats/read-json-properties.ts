import { malformed, type ProblemError } from '../../core/problem.js'
import { type AclEntry, permissions } from '../../core/records/record.js'
import { clip, parseInstant } from '../../core/value-types.js'
import type { Json } from './record-format-interface.js'

/*
 * Members of a record in a request. Absent gives undefined; null, an empty text or an empty list give null.
 * All throw ProblemError `malformed-request`.
 */

export function text(json: Json, name: string): string | null | undefined {
  const value = json[name]
  if (value === undefined || value === null) return value
  if (typeof value === 'string') return value === '' ? null : value
  throw wrong(name, value, 'a text')
}

export function flag(json: Json, name: string): boolean | undefined {
  const value = json[name] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw wrong(name, value, 'true or false')
}

export function object(json: Json, name: string): Json | null | undefined {
  const value = json[name]
  if (value === undefined || value === null) return value
  if (typeof value === 'object' && !Array.isArray(value)) return value as Json
  throw wrong(name, value, 'an object')
}

/** One of the values of an enumeration. */
export function choice<T extends string>(
  json: Json,
  name: string,
  values: readonly T[],
): T | null | undefined {
  const value = json[name] === '' ? null : json[name]
  if (value === undefined || value === null) return value
  const found = values.find(other => other === value)
  if (found !== undefined) return found
  throw wrong(name, value, `one of ${values.join(', ')}`)
}

/** A whole number, also as a text of digits. @see spec, "schemaVersion" */
export function wholeNumber(json: Json, name: string): number | null | undefined {
  const value = json[name]
  if (value === undefined || value === null) return value
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return Number(value)
  throw wrong(name, value, 'a whole number')
}

/** Looks at members the server sets: what they say is ignored, but it must be of their type. @see contract, "Server-set members" */
export function checkServerSet(
  json: Json,
  members: {
    readonly numbers: readonly string[]
    readonly times: readonly string[]
    readonly texts: readonly string[]
  },
): void {
  for (const name of members.numbers) wholeNumber(json, name)
  for (const name of members.times)
    if (json[name] !== undefined && json[name] !== null) parseInstant(json[name], name)
  for (const name of members.texts) text(json, name)
}

/** ACL entries without the ids the server gives them. @see contract, 3.1 (8) */
export function accessControl(json: Json, name: string): readonly AclEntry[] | null | undefined {
  const value = json[name]
  if (value === undefined || value === null) return value
  if (!Array.isArray(value)) throw wrong(name, value, 'a list')
  const entries = value.map((entry: unknown, at): AclEntry => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      throw wrong(`${name}[${at}]`, entry, 'an object')
    }
    wholeNumber(entry as Json, 'id')
    const sid = text(entry as Json, 'sid')
    if (!sid) throw malformed('Subject ID of ACL entry must not be null.')
    const permission = choice(entry as Json, 'permission', permissions)
    if (!permission) throw malformed(`The ACL entry of ${clip(sid)} has no permission.`)
    return { sid, permission }
  })
  return entries.length === 0 ? null : entries
}

export function wrong(name: string, value: unknown, wanted: string): ProblemError {
  return malformed(`The member ${name} is ${clip(JSON.stringify(value))}; it must be ${wanted}.`)
}
