import type { Scope } from '../../../core/xml/xml-reader.js'
import { stringPatterns, valueKey } from './atomic-values.js'
import { collapse, type Facet, normalize, primitiveOf, type SimpleType } from './simple-types.js'

/** An atomic value, or an item of a list, with its type. */
export interface AtomicValue {
  readonly type: SimpleType
  readonly value: string
}

/** A text with the namespaces of its prefixes. */
export interface Written {
  readonly value: string
  readonly scope: Scope
}

/**
 * Whether a simple type accepts a value; undefined if that depends on facets that are not evaluated here: patterns, and
 * bounds of moments and durations.
 * @param value without normalization
 */
export function acceptsValue(type: SimpleType, value: string, scope: Scope): boolean | undefined {
  if (type.item) {
    const { item } = type
    const items = itemsOf(value)
    return all([
      ...items.map(each => acceptsValue(item, each, scope)),
      ...checkedFacets(type).map(facet => meetsLength(facet, items.length)),
      isEnumerated(type, value, scope),
    ])
  }
  if (type.members) {
    const verdicts = type.members.map(member => acceptsValue(member, value, scope))
    const known = verdicts.includes(true) ? true : verdicts.includes(undefined) ? undefined : false
    return all([known, hasPattern(type) ? undefined : true, isEnumerated(type, value, scope)])
  }
  const normal = normalize(value, type.whiteSpace)
  const key = valueKey(type.builtin, normal, scope)
  if (key === undefined || stringPatterns[type.builtin]?.test(normal) === false) return false
  return all([
    isInRange(type.builtin, key),
    ...checkedFacets(type).map(facet => meetsAtomic(type, facet, normal, key)),
    isEnumerated(type, value, scope),
  ])
}

function all(verdicts: readonly (boolean | undefined)[]): boolean | undefined {
  if (verdicts.includes(false)) return false
  return verdicts.includes(undefined) ? undefined : true
}

function itemsOf(value: string): readonly string[] {
  return collapse(value)
    .split(' ')
    .filter(item => item !== '')
}

function hasPattern(type: SimpleType): boolean {
  return checkedFacets(type).some(({ name }) => name === 'pattern')
}

/** The facets without the enumeration, which may have thousands of values. */
function checkedFacets(type: SimpleType): readonly Facet[] {
  const known = checked.get(type) ?? type.facets.filter(({ name }) => name !== 'enumeration')
  checked.set(type, known)
  return known
}

const checked = new WeakMap<SimpleType, readonly Facet[]>()

function isEnumerated(type: SimpleType, value: string, scope: Scope): boolean | undefined {
  const listed = enumerationOf(type)
  if (listed.size === 0) return true
  const key = keyOf(type, { value, scope })
  if (key !== undefined && listed.has(key)) return true
  return key === undefined || listed.has(undefined) ? undefined : false
}

/** The value of the enumeration of a type that a value equals. */
export function enumeratedValue(type: SimpleType, written: Written): Written | undefined {
  const listed = enumerationOf(type)
  const key = listed.size === 0 ? undefined : keyOf(type, written)
  return key === undefined ? undefined : listed.get(key)
}

const enumerations = new WeakMap<SimpleType, ReadonlyMap<string | undefined, Facet>>()

/** The values of an enumeration by their keys; undefined is the key of values whose type is not known. */
function enumerationOf(type: SimpleType): ReadonlyMap<string | undefined, Facet> {
  let known = enumerations.get(type)
  if (!known) {
    const listed = type.facets.filter(({ name }) => name === 'enumeration')
    known = new Map(listed.map(facet => [keyOf(type, facet), facet] as const))
    enumerations.set(type, known)
  }
  return known
}

/** Undefined for a pattern. */
function meetsLength({ name, value }: Facet, length: number): boolean | undefined {
  const limit = Number(value.trim())
  if (name === 'length') return length === limit
  if (name === 'minLength') return length >= limit
  if (name === 'maxLength') return length <= limit
  return name === 'pattern' ? undefined : true
}

function meetsAtomic(type: SimpleType, facet: Facet, normal: string, key: string): boolean | undefined {
  const { name, value } = facet
  const primitive = primitiveOf(type.builtin)
  if (name.endsWith('ength')) {
    if (primitive === 'string' || primitive === 'anyURI') return meetsLength(facet, [...normal].length)
    return primitive === 'hexBinary' ? meetsLength(facet, normal.length / 2) : undefined
  }
  if (name === 'totalDigits') return key.replace(/[-.]/g, '').length <= Number(value.trim())
  if (name === 'fractionDigits') return key.length - key.indexOf('.') - 1 <= Number(value.trim())
  if (!/^(?:min|max)(?:In|Ex)clusive$/.test(name)) return name === 'pattern' ? undefined : true
  const limit = valueKey(type.builtin, collapse(value), facet.scope)
  const order = limit === undefined ? undefined : compare(primitive, key, limit)
  if (order === undefined) return undefined
  if (order === 0) return name.endsWith('Inclusive')
  return name.startsWith('min') ? order > 0 : order < 0
}

/** The order of two keys of numbers; undefined for other types and NaN. */
function compare(primitive: string, one: string, other: string): number | undefined {
  if (primitive === 'decimal') return compareDecimals(one, other)
  if (primitive !== 'float' && primitive !== 'double') return undefined
  const order = one === other ? 0 : Math.sign(Number(one) - Number(other))
  return Number.isNaN(order) ? undefined : order
}

/** Compares keys, which have no zeros before and behind. */
function compareDecimals(one: string, other: string): number {
  const isNegative = one.startsWith('-')
  if (isNegative !== other.startsWith('-')) return isNegative ? -1 : 1
  const [whole = '', fraction = ''] = one.split('.')
  const [otherWhole = '', otherFraction = ''] = other.split('.')
  const magnitude =
    whole.length - otherWhole.length ||
    compareTexts(whole, otherWhole) ||
    compareTexts(fraction, otherFraction)
  return isNegative ? -magnitude : magnitude
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** The least and the greatest value of types of integers, as keys. @see https://www.w3.org/TR/xmlschema-2/#byte */
const ranges: Readonly<Record<string, readonly [least: string | undefined, greatest?: string]>> = {
  byte: ['-128.', '127.'],
  short: ['-32768.', '32767.'],
  int: ['-2147483648.', '2147483647.'],
  long: ['-9223372036854775808.', '9223372036854775807.'],
  nonNegativeInteger: ['.'],
  positiveInteger: ['1.'],
  unsignedByte: ['.', '255.'],
  unsignedShort: ['.', '65535.'],
  unsignedInt: ['.', '4294967295.'],
  unsignedLong: ['.', '18446744073709551615.'],
  nonPositiveInteger: [undefined, '.'],
  negativeInteger: [undefined, '-1.'],
}

function isInRange(builtin: string, key: string): boolean {
  const [least, greatest] = ranges[builtin] ?? []
  return (
    (least === undefined || compareDecimals(key, least) >= 0) &&
    (greatest === undefined || compareDecimals(key, greatest) <= 0)
  )
}

/** The type of a union that a value has: the first that accepts the value. @returns undefined if that is not known */
export function memberFor(type: SimpleType, value: string, scope: Scope): SimpleType | undefined {
  for (const member of type.members ?? []) {
    const verdict = acceptsValue(member, value, scope)
    if (verdict !== false) return verdict && member
  }
  return undefined
}

/**
 * The atomic values of a value: itself, or the items of a list. For a union, the first type that accepts the value
 * counts.
 * @returns undefined if it is not known which type of a union accepts the value
 */
export function atomicValues(
  type: SimpleType,
  value: string,
  scope: Scope,
): readonly AtomicValue[] | undefined {
  if (type.item) {
    const found: AtomicValue[] = []
    for (const item of itemsOf(value)) {
      const values = atomicValues(type.item, item, scope)
      if (!values) return undefined
      found.push(...values)
    }
    return found
  }
  if (!type.members) return [{ type, value: normalize(value, type.whiteSpace) }]
  const member = memberFor(type, value, scope)
  return member && atomicValues(member, value, scope)
}

/**
 * Whether two texts are the same value of a simple type; undefined if that is not known.
 * @param otherType the type of the second text, if it is another
 */
export function isSameValue(
  type: SimpleType,
  one: Written,
  other: Written,
  otherType: SimpleType = type,
): boolean | undefined {
  const first = keyOf(type, one)
  const second = keyOf(otherType, other)
  return first === undefined || second === undefined ? undefined : first === second
}

/** A text that is equal for equal values of a simple type, and different for others; undefined if that is not known. */
function keyOf(type: SimpleType, { value, scope }: Written): string | undefined {
  const keys: string[] = []
  for (const atom of atomicValues(type, value, scope) ?? [undefined]) {
    const key = atom && valueKey(atom.type.builtin, atom.value, scope)
    if (atom === undefined || key === undefined) return undefined
    keys.push(`${primitiveOf(atom.type.builtin)} ${key}`)
  }
  return keys.join('\n')
}
