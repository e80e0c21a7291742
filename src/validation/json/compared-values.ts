import type { ValidateFunction } from 'ajv'
import { canonicalNumber, type Decimal, decimalOf, isWhole } from '../../core/json/decimal.js'
import { type Holder, parseWrittenJson, WrittenNumber, writeJson } from '../../core/json/written-number.js'

/*
 * Values as JSON Schema compares them: objects by their members, whatever their names, and numbers as they are written.
 * ajv compares doubles. A number that no double holds has a stand-in, and its text is found by its place.
 */

/** A parsed document. */
export interface ParsedDocument {
  readonly value: unknown
  /** The holder of the value if the whole document is a number that no double holds. */
  readonly holder?: Holder
}

/** The texts of numbers that no double holds, by the object or array that contains them and by name or index. */
const writtenNumbers = new WeakMap<object, Map<string, string>>()
/** What generated code reads, to compare doubles where that is enough. */
export const numbers = {
  /** Whether this process has parsed a number that no double holds. */
  areWritten: false as boolean,
}

/** Parses a document or a schema, and remembers the texts of numbers that no double holds. @throws SyntaxError */
export function parseForValidation(text: string, isSuspect: boolean): ParsedDocument {
  if (!isSuspect) return { value: JSON.parse(text) }
  let holder: Holder | undefined
  const value: unknown = parseWrittenJson(text, (written, around, name) => {
    numbers.areWritten = true
    holder = around
    const texts = writtenNumbers.get(around) ?? new Map<string, string>()
    writtenNumbers.set(around, texts.set(String(name), written))
    return standInOf(written)
  })
  return { value, ...(holder && typeof value === 'number' && { holder }) }
}

/** Validates a document with ajv. */
export function isValid(validate: ValidateFunction, { value, holder }: ParsedDocument): boolean {
  if (!holder) return validate(value) === true
  const place = { parentData: holder, parentDataProperty: '' }
  return validate(value, { instancePath: '', rootData: holder, dynamicAnchors: {}, ...place }) === true
}

/** The nearest double that is a whole number exactly if the written number is one. */
function standInOf(written: string): number {
  const value = Number(written)
  if (isWhole(decimalOf(written))) {
    return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value))
  }
  return Number.isInteger(value)
    ? Math.sign(value || Number(`${written.startsWith('-') ? '-' : ''}1`)) / 2
    : value
}

/** Gives a copy of an object the texts of the numbers of the original. */
export function shareWrittenNumbers(original: object, copy: object): void {
  const texts = writtenNumbers.get(original)
  if (texts) writtenNumbers.set(copy, texts)
}

/** The text of a number at a place; undefined if the double at the place holds the number. */
export function writtenAt(holder: object | undefined, name: string | number): string | undefined {
  if (!numbers.areWritten || holder === undefined) return undefined
  return writtenNumbers.get(holder)?.get(String(name))
}

/** The decimal of a number at a place. @param value what ajv has there */
export function decimalAt(value: number, holder: object | undefined, name: string | number): Decimal {
  return decimalOf(writtenAt(holder, name) ?? String(value))
}

/**
 * A text that two values have in common exactly if they are equal.
 * @param limit the result is undefined if the text is longer, which is found out without writing all of it
 */
export function canonicalText(
  value: unknown,
  holder: object | undefined,
  name: string | number,
  limit = Number.POSITIVE_INFINITY,
): string | undefined {
  let left = limit
  const mayGrow = (size: number): boolean => {
    left -= size
    return left >= 0
  }
  const write = (inner: unknown, around: object | undefined, at: string | number): string => {
    if (typeof inner === 'string' && inner.length > left) left = -1
    if (left < 0) return ''
    if (isComposite(inner)) return compositeText(inner, write, mayGrow)
    const text = scalarText(inner, around, at)
    left -= text.length
    return text
  }
  const text = write(value, holder, name)
  return left < 0 ? undefined : text
}

/** Gives arrays and objects numbers: two of them have the same number exactly if they are equal. */
export function openContents() {
  const byText = new Map<string, number>()
  const byValue = new Map<object, number>()
  const write = (inner: unknown, around: object | undefined, at: string | number): string =>
    isComposite(inner) ? `#${numberOf(inner)}` : scalarText(inner, around, at)

  function numberOf(value: object): number {
    const known = byValue.get(value)
    if (known !== undefined) return known
    const text = compositeText(value, write, () => true)
    const number = byText.get(text) ?? byText.size
    byText.set(text, number)
    byValue.set(value, number)
    return number
  }
  return numberOf
}

type WriteInner = (inner: unknown, holder: object, name: string | number) => string

/** Writes an array or object. @param mayGrow called with the length of what is added; false stops the writing */
function compositeText(value: object, write: WriteInner, mayGrow: (size: number) => boolean): string {
  if (Array.isArray(value)) {
    let text = '['
    for (let index = 0; index < value.length && mayGrow(1); index++)
      text += `${write(value[index], value, index)},`
    return `${text}]`
  }
  const names = Object.keys(value)
  if (!mayGrow(2 * names.length)) return ''
  let text = '{'
  for (const name of names.sort((one, other) => (one < other ? -1 : 1))) {
    const written = JSON.stringify(name)
    if (!mayGrow(written.length)) break
    text += `${written}:${write((value as Holder)[name], value, name)},`
  }
  return `${text}}`
}

function scalarText(value: unknown, holder: object | undefined, name: string | number): string {
  if (typeof value !== 'number') return JSON.stringify(value)
  const written = writtenAt(holder, name)
  // A double that holds its number is never equal to a number that no double holds.
  return written === undefined ? String(value) : `=${canonicalNumber(written)}`
}

export function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Whether a value is null, a boolean, a string, or a number that a double holds. */
export function isPlainScalar(value: unknown, holder: object | undefined, name: string | number): boolean {
  return !isComposite(value) && (typeof value !== 'number' || writtenAt(holder, name) === undefined)
}

/** The JSON text of a value, with numbers as they are written. */
export function shownText(value: unknown, holder: object | undefined, name: string | number): string {
  return writeJson(asWritten(value, holder, name))
}

/** A copy of a value with numbers as they are written, for {@link writeJson}. */
export function asWritten(value: unknown, holder: object | undefined, name: string | number): unknown {
  if (Array.isArray(value)) return value.map((item, index) => asWritten(item, value, index))
  if (isComposite(value)) {
    const members = Object.entries(value)
    return Object.fromEntries(members.map(([inner, member]) => [inner, asWritten(member, value, inner)]))
  }
  const written = writtenAt(holder, name)
  return written === undefined ? value : new WrittenNumber(written)
}
