import type { Scope } from '../../../core/xml/xml-reader.js'
import { resolveName } from './schema-tree.js'
import { primitiveOf } from './simple-types.js'

/** Letters and other beginnings of names, without the colon. @see https://www.w3.org/TR/xml/#NT-NameStartChar */
const nameStart =
  'A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}' +
  '\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}'
const nameRest = `${nameStart}\\-.0-9\\u{b7}\\u{300}-\\u{36f}\\u{203f}\\u{2040}`
const ncName = `[${nameStart}][${nameRest}]*`
// regexp-time: linear, as one repeated set of characters follows one character.
const ncNamePattern = new RegExp(`^${ncName}$`, 'u')

/** The patterns of values in time, with the groups of {@link momentParts}, and the time zone. */
const moments: Readonly<Record<string, RegExp>> = {
  dateTime:
    /^(-?(?:[1-9]\d{3,}|0\d{3}))-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d(?:\.\d+)?)(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/,
  date: /^(-?(?:[1-9]\d{3,}|0\d{3}))-(\d\d)-(\d\d)(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/,
  time: /^(\d\d):(\d\d):(\d\d(?:\.\d+)?)(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/,
  gYear: /^(-?(?:[1-9]\d{3,}|0\d{3}))(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/,
  gYearMonth: /^(-?(?:[1-9]\d{3,}|0\d{3}))-(\d\d)(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/,
  gMonth: /^--(\d\d)(?:--)?(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/,
  gMonthDay: /^--(\d\d)-(\d\d)(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/,
  gDay: /^---(\d\d)(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?$/,
}
const momentParts: Readonly<Record<string, readonly ('year' | 'month' | 'day' | 'time')[]>> = {
  dateTime: ['year', 'month', 'day', 'time'],
  date: ['year', 'month', 'day'],
  time: ['time'],
  gYear: ['year'],
  gYearMonth: ['year', 'month'],
  gMonth: ['month'],
  gMonthDay: ['month', 'day'],
  gDay: ['day'],
}
const duration =
  /^(-?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** Whether a primitive type has moments, recurring moments, or durations as values. */
export function isTemporal(primitive: string): boolean {
  return primitive in moments || primitive === 'duration'
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/
const double = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|-?INF|NaN)$/

/**
 * A text that is equal for equal values of an atomic type, and different for others.
 * @param value with normalized white space
 * @returns undefined if the value is not in the lexical space of the primitive type
 * @see https://www.w3.org/TR/xmlschema-2/#built-in-primitive-datatypes
 */
export function valueKey(builtin: string, value: string, scope: Scope): string | undefined {
  const primitive = primitiveOf(builtin)
  if (primitive in moments) return momentKey(primitive, value)
  switch (primitive) {
    case 'boolean':
      if (!/^(?:true|false|0|1)$/.test(value)) return undefined
      return value === '1' || value === 'true' ? 'true' : 'false'
    case 'decimal':
      if (builtin !== 'decimal' && !/^[+-]?\d+$/.test(value)) return undefined
      return decimal.test(value) ? decimalKey(value) : undefined
    case 'float':
    case 'double':
      if (!double.test(value)) return undefined
      return String(doubleOf(value, primitive))
    case 'duration':
      return durationKey(value)
    case 'hexBinary':
      return /^(?:[0-9a-fA-F]{2})*$/.test(value) ? value.toLowerCase() : undefined
    case 'base64Binary':
      return base64Key(value.replaceAll(' ', ''))
    case 'QName':
    case 'NOTATION': {
      if (value.startsWith(':')) return undefined
      const [namespace, local] = resolveName(value, scope)
      return namespace === undefined || !ncNamePattern.test(local) ? undefined : `{${namespace}}${local}`
    }
    default:
      return value
  }
}

/** Four characters for three bytes; the unused bits of the last character are zero. */
function base64Key(value: string): string | undefined {
  const isWhole = value.length % 4 === 0 && /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/.test(value)
  return isWhole ? value : undefined
}

function doubleOf(value: string, primitive: string): number {
  if (value === 'NaN') return Number.NaN
  if (value.endsWith('INF')) return value.startsWith('-') ? -Infinity : Infinity
  return primitive === 'float' ? Math.fround(Number(value)) : Number(value)
}

function decimalKey(value: string): string {
  const [whole = '', fraction = ''] = value.replace(/^[+-]/, '').split('.')
  const digits = `${whole.replace(/^0+/, '')}.${withoutEndingZeros(fraction)}`
  return value.startsWith('-') && digits !== '.' ? `-${digits}` : digits
}

function withoutEndingZeros(digits: string): string {
  let end = digits.length
  while (digits.charAt(end - 1) === '0') end--
  return digits.slice(0, end)
}

function durationKey(value: string): string | undefined {
  const match = duration.exec(value)
  if (!match) return undefined
  const [, sign = '', years = '0', months = '0', days = '0', hours = '0', minutes = '0', seconds = '0'] =
    match
  const [whole = '0', fraction = ''] = seconds.split('.')
  const allMonths = BigInt(years) * 12n + BigInt(months)
  const all = ((BigInt(days) * 24n + BigInt(hours)) * 60n + BigInt(minutes)) * 60n + BigInt(whole)
  const key = `${allMonths} ${all}.${withoutEndingZeros(fraction)}`
  return key === '0 0.' ? key : sign + key
}

function momentKey(primitive: string, value: string): string | undefined {
  const match = moments[primitive]?.exec(value)
  if (!match) return undefined
  const groups = match.slice(1)
  const fields = { year: 1972, month: 1, day: 1, time: 0 }
  let fraction = ''
  for (const part of momentParts[primitive] ?? []) {
    if (part === 'time') {
      const [hour = '', minute = '', second = ''] = groups.splice(0, 3)
      const [whole = '', rest = ''] = second.split('.')
      fields.time = Number(hour) * 3600 + Number(minute) * 60 + Number(whole)
      fraction = withoutEndingZeros(rest)
      const isEnd = hour === '24' && fields.time === 86_400 && fraction === ''
      if (!isEnd && (Number(hour) > 23 || Number(minute) > 59 || Number(whole) > 59)) return undefined
    } else fields[part] = Number(groups.shift())
  }
  const timeZone = groups[0]
  if (fields.year === 0) return undefined
  // There is no year 0: the year before 1 is -1.
  const { month, day } = fields
  const proleptic = fields.year < 0 ? fields.year + 1 : fields.year
  if (month < 1 || month > 12 || day < 1 || day > daysIn(proleptic, month)) return undefined
  const at = daysBefore(proleptic, month, day) * 86_400 + fields.time - (timeZone ? offsetOf(timeZone) : 0)
  const moment = primitive === 'time' ? ((at % 86_400) + 86_400) % 86_400 : at
  return `${moment}.${fraction}${timeZone ? 'Z' : ''}`
}

function offsetOf(timeZone: string): number {
  if (timeZone === 'Z') return 0
  const [hours = '', minutes = ''] = timeZone.slice(1).split(':')
  return (timeZone.startsWith('-') ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60)
}

function isLeap(proleptic: number): boolean {
  return proleptic % 4 === 0 && (proleptic % 100 !== 0 || proleptic % 400 === 0)
}

function daysIn(proleptic: number, month: number): number {
  if (month === 2) return isLeap(proleptic) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function daysBefore(proleptic: number, month: number, day: number): number {
  const before = proleptic - 1
  let days = before * 365 + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  for (let each = 1; each < month; each++) days += daysIn(proleptic, each)
  return days + day
}

/** The lexical spaces of types that are derived from `xs:string`. */
export const stringPatterns: Readonly<Record<string, RegExp>> = {
  // regexp-time: linear, as it is one repeated set of characters.
  NMTOKEN: new RegExp(`^[:${nameRest}]+$`, 'u'),
  // regexp-time: linear, as one repeated set of characters follows one character.
  Name: new RegExp(`^[:${nameStart}][:${nameRest}]*$`, 'u'),
  NCName: ncNamePattern,
  ID: ncNamePattern,
  IDREF: ncNamePattern,
  ENTITY: ncNamePattern,
  language: /^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$/,
}
