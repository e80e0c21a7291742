import { malformedRequest } from '../../../core/problem.js'
import { truncate } from '../../../core/value-types.js'

/** A JSON object of a request. */
export type JsonMembers = Readonly<Record<string, unknown>>

/** A scalar of a request. */
export type JsonScalar = string | number | boolean

/**
 * The members of a JSON object. An unknown member is an error.
 * @param what name of the object in messages, such as `[terms] query`
 * @param known names of members; undefined: any
 * @throws ProblemError `malformed-request`
 */
export function readMembers(value: unknown, what: string, known?: readonly string[]): JsonMembers {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformedRequest(`${what} must be a JSON object`)
  if (known) {
    for (const name of Object.keys(value))
      if (!known.includes(name)) throw malformedRequest(`${what} does not support [${shortenedName(name)}]`)
  }
  return value as JsonMembers
}

/**
 * The members of a JSON object. Any other value is short for an object with this value as its member `main`.
 * @param others names of the other members
 * @throws ProblemError `malformed-request`
 */
export function readMembersOrValue(
  value: unknown,
  what: string,
  main: string,
  others: readonly string[],
): JsonMembers {
  if (typeof value !== 'object' || value === null) return { [main]: value }
  return readMembers(value, what, [main, ...others])
}

/** The only member of a JSON object, such as `{"title": …}`. @throws ProblemError `malformed-request` */
export function readOnlyMember(value: unknown, what: string): readonly [name: string, value: unknown] {
  const [first, ...others] = Object.entries(readMembers(value, what))
  if (first === undefined) throw malformedRequest(`${what} is empty`)
  if (others.length > 0)
    throw malformedRequest(
      `${what} must have one member, but has [${shortenedName(first[0])}] and [${shortenedName(others[0]?.[0] ?? '')}]`,
    )
  return first
}

/**
 * Checks that a value of a request is a scalar.
 * @param what name of the value in messages
 * @throws ProblemError `malformed-request`
 */
export function readScalar(value: unknown, what: string): JsonScalar {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw malformedRequest(`${what} must be a string, a number or a boolean`)
}

/**
 * Checks that a value of a request is a string.
 * @param what name of the value in messages
 * @throws ProblemError `malformed-request`
 */
export function readString(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw malformedRequest(`${what} must be a string`)
}

/**
 * Checks that a value of a request is a list.
 * @param what name of the value in messages
 * @param max limit of the number of entries
 * @throws ProblemError `malformed-request`
 */
export function readList(value: unknown, what: string, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw malformedRequest(`${what} must be a list`)
  if (value.length > max)
    throw malformedRequest(`${what} has ${value.length} entries; at most ${max} are taken`)
  return value
}

/**
 * Reads a whole number, which may be written as a string.
 * @throws ProblemError `malformed-request`
 */
export function readWholeNumber(value: unknown, what: string, min: number, max: number): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number
  throw malformedRequest(`${what} must be a whole number from ${min} to ${max}`)
}

/**
 * Checks that an option is absent, or has one of the values that mean what this server does.
 * @throws ProblemError `malformed-request`
 */
export function requireMeaning(value: unknown, what: string, meant: readonly string[]): void {
  if (value === undefined || value === null || meant.includes(String(value))) return
  const sent = typeof value === 'object' ? 'an object' : `[${shortenedName(String(value))}]`
  throw malformedRequest(`${what} must be ${meant.map(each => `[${each}]`).join(' or ')}, not ${sent}`)
}

/** A name from a request, shortened for a message. */
export function shortenedName(name: string): string {
  return truncate(name, 100)
}
