import { createRequire } from 'node:module'
import { RegExpParser } from '@eslint-community/regexpp'
import { isIri, isIriReference, isUri, isUriReference } from '@hyperjump/uri'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { once } from '../../core/data-structures/lazy-value.js'
import { type Dialect, dialects } from './draft-keywords.js'
import { compilePattern } from './linear-patterns.js'

/* The formats of drafts 04 to 07. Others are unknown to these drafts, and unknown formats are annotations. */

type Format = (text: string) => boolean

/** The formats that a draft asserts; none from 2019-09 on. @see docs/contract.md#formats */
export function formatsOf(dialect: Dialect): ReadonlyMap<string, Format> {
  const own = formats.filter(([, , first]) => dialects.indexOf(first) <= dialects.indexOf(dialect))
  return new Map(assertsFormat(dialect) ? own.map(([name, format]) => [name, format]) : [])
}

/** `format` is an assertion up to draft-07 and an annotation from 2019-09. @see docs/contract.md#formats */
export function assertsFormat(dialect: Dialect): boolean {
  return dialect.startsWith('draft')
}

/** A format that a pattern describes. */
function matching(pattern: string): Format {
  const { test } = compilePattern(`^(?:${pattern})$`, true)
  return test
}

/** A format of ajv-formats that is a regular expression of linear time. */
function ofLibrary(name: 'ipv4' | 'ipv6' | 'json-pointer' | 'relative-json-pointer'): Format {
  const expression = fullFormats[name] as RegExp
  return text => expression.test(text)
}

/** A format of a library that throws an error for a host of a future IP version: its syntax is right. @see RFC 3986 §3.2.2 */
function ofIdentifiers(test: Format): Format {
  return text => {
    try {
      return test(text)
    } catch {
      return true
    }
  }
}

/** A day of the calendar. @see RFC 3339 §5.6, full-date */
function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  return Number(day) > 0 && Number(day) <= daysIn(Number(year), Number(month))
}

/** Days of a month from 1 to 12; 0 for any other month. */
function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
}

/**
 * The minutes from the beginning of the day to the time in UTC, negative for a time of the day before, and whether the
 * second is a leap second; undefined if the text is no time.
 * @see RFC 3339 §5.6, full-time
 */
function parseTime(text: string): { readonly minutes: number; readonly isLeap: boolean } | undefined {
  const found = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text)
  if (!found) return undefined
  const [hour = 0, minute = 0, second = 0] = found.slice(1, 4).map(Number)
  const [offsetHour = 0, offsetMinute = 0] = found.slice(5).map(part => Number(part ?? 0))
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined
  const offset = (found[4] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute)
  return { minutes: hour * 60 + minute - offset, isLeap: second === 60 }
}

const minutesOfDay = 24 * 60

/** A leap second is the last second of a day in UTC. @see RFC 3339 §5.7 */
function isTime(text: string): boolean {
  const time = parseTime(text)
  if (!time) return false
  return !time.isLeap || (time.minutes + minutesOfDay) % minutesOfDay === minutesOfDay - 1
}

/** A leap second is the last second of a month in UTC. @see RFC 3339 §5.6, date-time, and §5.7 */
function isDateTime(text: string): boolean {
  const date = text.slice(0, 10)
  if (!/^t$/i.test(text.charAt(10)) || !isDate(date) || !isTime(text.slice(11))) return false
  const time = parseTime(text.slice(11))
  if (!time?.isLeap) return true
  const after = new Date(Date.parse(`${date}T00:00Z`) + (time.minutes + 1) * 60_000)
  return after.getUTCDate() === 1
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const matchesHostname = matching(`${label}(?:\\.${label})*`)

/** @see RFC 1123 §2.1 */
function isHostname(text: string): boolean {
  return text.length <= 253 && matchesHostname(text)
}

/** A host name whose labels in Punycode are valid. @see RFC 5890 §2.3.2.1 */
function isHostnameWithPunycode(text: string): boolean {
  return isHostname(text) && (!/(^|\.)xn--/i.test(text) || isIdnHostname(text))
}

/** Loaded when it is needed, because it has large tables. */
const idnHostname = once(
  () => createRequire(import.meta.url)('idn-hostname') as typeof import('idn-hostname'),
)

/** @see RFC 5890 §2.3.2.3 */
function isIdnHostname(text: string): boolean {
  // Longer than any name, even if it has characters that do not count.
  if (text.length > 1000 || /[.\uff0e\u3002\uff61]$/.test(text)) return false
  try {
    return idnHostname().isIdnHostname(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return false
    throw error
  }
}

const atom = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~]"
const quoted = '[ !#-\\[\\]-~]|\\\\[ -~]'
const matchesLocalPart = matching(`${atom}+(?:\\.${atom}+)*|"(?:${quoted})*"`)
const beyondAscii = '[\\u{80}-\\u{d7ff}\\u{e000}-\\u{10ffff}]'
const matchesIdnLocalPart = matching(
  `(?:${atom}|${beyondAscii})+(?:\\.(?:${atom}|${beyondAscii})+)*|"(?:${quoted}|${beyondAscii})*"`,
)
const matchesGeneralLiteral = matching('[A-Za-z0-9-]*[A-Za-z0-9]:[!-Z^-~]+')

/** A mailbox. @param isLocalPart, isDomain whether the parts beside the last `@` are right */
function isMailbox(text: string, isLocalPart: Format, isDomain: Format): boolean {
  const at = text.lastIndexOf('@')
  return (
    at > 0 &&
    isLocalPart(text.slice(0, at)) &&
    (isDomain(text.slice(at + 1)) || isAddressLiteral(text.slice(at + 1)))
  )
}

/** An address in the place of a domain, such as `[192.0.2.1]`. @see RFC 5321 §4.1.3 */
function isAddressLiteral(text: string): boolean {
  if (!text.startsWith('[') || !text.endsWith(']')) return false
  const address = text.slice(1, -1)
  if (/^ipv6:/i.test(address)) return isIpv6(address.slice(5))
  return isIpv4(address) || matchesGeneralLiteral(address)
}

const isIpv4 = ofLibrary('ipv4')
const isIpv6 = ofLibrary('ipv6')

const percent = '%[0-9A-Fa-f]{2}'
const variable = `(?:\\w|${percent})(?:\\.?(?:\\w|${percent}))*(?::[1-9]\\d{0,3}|\\*)?`
const expression = `\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\}`
/** Printable characters except `"`, `%`, `<`, `>`, `\`, `^`, `` ` ``, `{`, `|`, `}`, and non-characters. */
const literal =
  '[!#-$&-;=?-\\[\\]_a-z~\\u{a0}-\\u{d7ff}\\u{e000}-\\u{fdcf}\\u{fdf0}-\\u{ffef}\\u{10000}-\\u{10fffd}]'
/** @see RFC 6570 §2 */
const isUriTemplate = matching(`(?:${literal}|${percent}|${expression})*`)

const strictParser = new RegExpParser({ strict: true, ecmaVersion: 2025 })

/**
 * A regular expression of ECMA-262 without its Annex B, for code points or for UTF-16 code units. One that is nested too
 * deeply for the parser counts as none.
 */
function isRegExp(text: string): boolean {
  for (const isUnicode of [true, false]) {
    try {
      strictParser.parsePattern(text, undefined, undefined, { unicode: isUnicode })
      return Boolean(compilePattern(text, isUnicode))
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    }
  }
  return false
}

/** The formats with the first draft that asserts them. The older ones are asserted in all drafts for compatibility. */
const formats: readonly (readonly [name: string, format: Format, first: Dialect])[] = [
  ['date-time', isDateTime, 'draft-04'],
  ['date', isDate, 'draft-04'],
  ['time', isTime, 'draft-04'],
  ['email', text => isMailbox(text, matchesLocalPart, isHostname), 'draft-04'],
  ['hostname', isHostname, 'draft-04'],
  ['ipv4', isIpv4, 'draft-04'],
  ['ipv6', isIpv6, 'draft-04'],
  ['uri', ofIdentifiers(isUri), 'draft-04'],
  ['uri-reference', ofIdentifiers(isUriReference), 'draft-04'],
  ['uri-template', isUriTemplate, 'draft-04'],
  ['json-pointer', ofLibrary('json-pointer'), 'draft-04'],
  ['relative-json-pointer', ofLibrary('relative-json-pointer'), 'draft-04'],
  ['regex', isRegExp, 'draft-04'],
  ['hostname', isHostnameWithPunycode, 'draft-07'],
  ['idn-email', text => isMailbox(text, matchesIdnLocalPart, isIdnHostname), 'draft-07'],
  ['idn-hostname', isIdnHostname, 'draft-07'],
  ['iri', ofIdentifiers(isIri), 'draft-07'],
  ['iri-reference', ofIdentifiers(isIriReference), 'draft-07'],
]
