import { malformedRequest, type ProblemError } from '../../core/problem.js'
import type { AclEntry } from '../../core/records/record.js'
import { permissions } from '../../core/records/record-json-schema.js'
import { parseInstant, truncate } from '../../core/value-types.js'
import type { JsonObject } from './record-format-interface.js'

/*
 * Functions that read members of a record in a request. They return undefined for an absent member, and null for null,
 * an empty text or an empty list. All throw ProblemError `malformed-request`.
 */

export function readText(json: JsonObject, name: string): string | null | undefined {
  const value = json[name]
  if (value === undefined || value === null) return value
  if (typeof value === 'string') return value === '' ? null : value
  throw wrongMember(name, value, 'a text')
}

export function readBoolean(json: JsonObject, name: string): boolean | undefined {
  const value = json[name] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw wrongMember(name, value, 'true or false')
}

export function readObject(json: JsonObject, name: string): JsonObject | null | undefined {
  const value = json[name]
  if (value === undefined || value === null) return value
  if (typeof value === 'object' && !Array.isArray(value)) return value as JsonObject
  throw wrongMember(name, value, 'an object')
}

/** Reads a text that must be one of `values`. */
export function readEnum<T extends string>(
  json: JsonObject,
  name: string,
  values: readonly T[],
): T | null | undefined {
  const value = json[name] === '' ? null : json[name]
  if (value === undefined || value === null) return value
  const found = values.find(other => other === value)
  if (found !== undefined) return found
  throw wrongMember(name, value, `one of ${values.join(', ')}`)
}

/** Reads a whole number, which may be sent as a number or as text. @see docs/contract.md#version-numbers */
export function readInteger(json: JsonObject, name: string): number | null | undefined {
  const value = json[name]
  if (value === undefined || value === null) return value
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return Number(value)
  throw wrongMember(name, value, 'a whole number')
}

/**
 * Checks the types of members that the server sets. Their values are ignored.
 * @see docs/contract.md#members-that-the-server-sets
 */
export function checkReadOnlyMembers(
  json: JsonObject,
  members: {
    readonly numbers: readonly string[]
    readonly times: readonly string[]
    readonly texts: readonly string[]
  },
): void {
  for (const name of members.numbers) readInteger(json, name)
  for (const name of members.times)
    if (json[name] !== undefined && json[name] !== null) parseInstant(json[name], name)
  for (const name of members.texts) readText(json, name)
}

/** Reads an access list, without the ids of its entries. @see docs/contract.md#wording-that-clients-look-for */
export function readAcl(json: JsonObject, name: string): readonly AclEntry[] | null | undefined {
  const value = json[name]
  if (value === undefined || value === null) return value
  if (!Array.isArray(value)) throw wrongMember(name, value, 'a list')
  const entries = value.map((entry: unknown, index): AclEntry => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      throw wrongMember(`${name}[${index}]`, entry, 'an object')
    }
    readInteger(entry as JsonObject, 'id')
    const sid = readText(entry as JsonObject, 'sid')
    if (!sid) throw malformedRequest('Subject ID of ACL entry must not be null.')
    const permission = readEnum(entry as JsonObject, 'permission', permissions)
    if (!permission) throw malformedRequest(`The ACL entry of ${truncate(sid)} has no permission.`)
    return { sid, permission }
  })
  return entries.length === 0 ? null : entries
}

export function wrongMember(name: string, value: unknown, wanted: string): ProblemError {
  return malformedRequest(`The member ${name} is ${truncate(JSON.stringify(value))}; it must be ${wanted}.`)
}
