import { malformedRequest } from './problem.js'

declare const brand: unique symbol
type Brand<T, B extends string> = T & { readonly [brand]: B }

/** Id of a schema or metadata record: 1 to 200 characters of `A–Z a–z 0–9 . - * _`, not dots only. */
export type Id = Brand<string, 'Id'>
/** Version number as the interface counts it: a whole number from 1. */
export type Version = Brand<number, 'Version'>
/** Name of a Git object: 40 hex digits. */
export type Oid = Brand<string, 'Oid'>
/** SHA-1 of a document's bytes: 40 hex digits. Not the name of its blob, which hashes a header too. */
export type Sha1 = Brand<string, 'Sha1'>
/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = Brand<number, 'Instant'>

/** Limit of an id, in characters. @see docs/contract.md#ids */
export const maxIdLength = 200

export const idPattern = /^[A-Za-z0-9.*_-]+$/

/** Says whether `text` is a permitted id. @see docs/contract.md#ids */
export function isId(text: string): text is Id {
  return text.length <= maxIdLength && idPattern.test(text) && !/^\.+$/.test(text)
}

/**
 * Checks that a value of a request is a permitted id.
 * @param what the member or parameter with the text, for the message
 * @throws ProblemError `malformed-request`
 */
export function parseId(text: unknown, what: string): Id {
  if (typeof text === 'string' && isId(text)) return text
  const shown = typeof text === 'string' ? `"${truncate(text)}"` : JSON.stringify(text)
  throw malformedRequest(
    `${what} ${shown} is not a permitted id: use 1 to ${maxIdLength} of the characters A-Z a-z 0-9 . - * _, and not dots only.`,
  )
}

/**
 * Parses a version number of a query.
 * @param text decimal digits
 * @throws ProblemError `malformed-request`
 */
export function parseVersion(text: string): Version {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1) return Math.min(number, Number.MAX_SAFE_INTEGER) as Version
  throw malformedRequest(`Version "${truncate(text)}" is not a whole number from 1 upwards.`)
}

/** Brands a number as a version. @throws RangeError for a number that is not a version */
export function asVersion(number: number): Version {
  if (Number.isSafeInteger(number) && number >= 1) return number as Version
  throw new RangeError(`${number} is not a version number`)
}

/**
 * Brands a text as an object name: 40 lower-case hexadecimal digits.
 * @throws RangeError if `text` is no object name; texts of clients are checked before
 */
export function toOid(text: string): Oid {
  if (/^[0-9a-f]{40}$/.test(text)) return text as Oid
  throw new RangeError(`"${truncate(text)}" is not a Git object name`)
}

export function toSha1(text: string): Sha1 {
  if (/^[0-9a-f]{40}$/.test(text)) return text as Sha1
  throw new RangeError(`"${truncate(text)}" is not a SHA-1`)
}

export function toInstant(milliseconds: number): Instant {
  if (Number.isFinite(milliseconds)) return milliseconds as Instant
  throw new RangeError(`${milliseconds} is not a time`)
}

const instantPattern =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/i

/** Limit of the text of a time, in characters. */
const maxTimeLength = 64

/**
 * Parses a time of a query string.
 * @param what the parameter with the text, for the message
 * @throws ProblemError `malformed-request`
 */
export function parseQueryInstant(text: string, what: string): Instant {
  return parseInstant(withPlusSign(text), what)
}

/** The time in a query string; undefined if the text is not a time. */
export function queryInstantOf(text: string): Instant | undefined {
  return instantOf(withPlusSign(text))
}

/** The text of a time in a query string. A space before a time zone counts as an unencoded plus sign. */
function withPlusSign(text: string): string {
  const space = text.lastIndexOf(' ')
  const isZone = space > 0 && /^\d{2}:?(?:\d{2})?$/.test(text.slice(space + 1))
  return isZone ? `${text.slice(0, space)}+${text.slice(space + 1)}` : text
}

/**
 * Parses a time as {@link instantOf}.
 * @throws ProblemError `malformed-request`
 */
export function parseInstant(text: unknown, what: string): Instant {
  const instant = typeof text === 'string' ? instantOf(text) : undefined
  if (instant !== undefined) return instant
  const shown = typeof text === 'string' ? `"${truncate(text)}"` : JSON.stringify(text)
  throw malformedRequest(
    `${what} ${shown} is not a time: write it as 2026-11-21T05:12:00.123Z, or a year, month or day alone.`,
  )
}

/**
 * A time: ISO 8601 with fractions and time zone (default: UTC), or only `yyyy`, `yyyy-MM`, `yyyy-MM-dd`. Fractions
 * below a millisecond are cut off.
 * @returns undefined if the text is not a time
 */
export function instantOf(text: string): Instant | undefined {
  const match = text.length <= maxTimeLength ? instantPattern.exec(text) : null
  if (!match) return undefined
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    zone = 'Z',
  ] = match
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3)
  const time = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${offsetOf(zone)}`,
  )
  // Date.parse reads 2026-02-30 as 2 March. A real date stays the same.
  const real = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const isReal = real.getUTCDate() === Number(day) && real.getUTCMonth() === Number(month) - 1
  return isReal && Number.isFinite(time) ? (time as Instant) : undefined
}

/** Rewrites a time zone such as `+01`, `+0100` or `z` for `Date.parse`. */
function offsetOf(zone: string): string {
  if (zone.length === 1) return 'Z'
  return zone.length === '+01:00'.length ? zone : `${zone.slice(0, 3)}:${zone.slice(3) || '00'}`
}

/** ISO 8601 UTC with `Z`, in milliseconds without trailing zeros. @see docs/contract.md#times */
export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString().replace(/\.?0{0,3}Z$/, 'Z')
}

/** ISO 8601 UTC with `Z`, in seconds, for `createdAt` and dates. @see docs/contract.md#times */
export function formatSecond(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`
}

/** A time in seconds on a day that exists in each year. */
const plainSecond =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const firstInstant = Date.parse('0000-01-01T00:00:00Z')
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Parses a date of a record, and formats it in UTC in seconds.
 * @throws ProblemError `malformed-request`, also if the time zone moves the date out of the years 0000 to 9999
 */
export function parseSecond(text: unknown, what: string): string {
  // A record may have thousands of dates, and most have this form.
  const isPlain = typeof text === 'string' && plainSecond.test(text)
  if (isPlain && text.endsWith('Z')) return text
  const instant = isPlain ? Date.parse(text) : parseInstant(text, what)
  if (instant >= firstInstant && instant <= lastInstant) return formatSecond(instant as Instant)
  throw malformedRequest(`${what} "${text}" is outside of the years 0000 to 9999 in UTC.`)
}

/** Removes all copies of `end` from the end of the text. A pattern such as `/\/+$/` may take quadratic time. */
export function trimEnd(text: string, end: string): string {
  let length = text.length
  while (length > 0 && text.startsWith(end, length - end.length)) length -= end.length
  return text.slice(0, length)
}

/** Shortens a text for a message. */
export function truncate(text: string, length = 80): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}
