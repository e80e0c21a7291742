import { randomUUID } from 'node:crypto'
import { canonicalNumber } from './decimal.js'
import { endOfString } from './source-locations.js'

/*
 * JSON.parse rounds numbers: 9007199254740993 becomes …992, and 1e400 becomes Infinity. The functions here keep the
 * text of a number that a double cannot hold. Other texts cost one search for such a number.
 */

/** A number of a JSON text that no double holds, such as 9007199254740993 or 1e400. */
export class WrittenNumber {
  /** Equal for equal numbers. */
  readonly canonical: string

  /** @param text the number as written */
  constructor(readonly text: string) {
    this.canonical = canonicalNumber(text)
  }

  /** The text for {@link writeJson}; the nearest double for JSON.stringify alone. */
  toJSON(): unknown {
    return isWriting ? marked(this.text) : Number(this.text)
  }

  toString(): string {
    return this.text
  }
}

/** Stands in for the `"` and the text of a number. No client knows it, so no string of a document begins with it. */
const mark = randomUUID()
let isWriting = false

function marked(text: string): string {
  return `${mark}${text}`
}

/** A value of JSON.parse in which numbers may be kept as written. */
export type WrittenJson =
  | null
  | boolean
  | number
  | string
  | WrittenNumber
  | readonly WrittenJson[]
  | { readonly [member: string]: WrittenJson }

/** The place of a value: a member of an object, or an item of an array. */
export type Holder = { [member: string | number]: unknown }

/**
 * Parses a JSON text, and keeps numbers that no double holds.
 * @param keep returns the value of such a number. It gets the text of the number, and the object or array that contains
 *   the number with the name or the index; `{ '': value }` for the number that is the whole text
 * @param isSuspect false if doubles hold all numbers of the text
 * @throws SyntaxError if the text is not JSON
 */
export function parseWrittenJson(
  text: string,
  keep: (written: string, holder: Holder, name: string | number) => unknown = written =>
    new WrittenNumber(written),
  isSuspect = mayRound(text),
): WrittenJson {
  const value = JSON.parse(text) as WrittenJson
  const places = isSuspect ? roundedNumbers(text) : []
  if (places.length === 0) return value
  const parts: string[] = []
  let offset = 0
  for (const [start, end] of places) {
    parts.push(text.slice(offset, start), `"${marked(text.slice(start, end))}"`)
    offset = end
  }
  parts.push(text.slice(offset))
  const root: Holder = { '': JSON.parse(parts.join('')) }
  const holders = [root]
  for (let holder = holders.pop(); holder; holder = holders.pop()) {
    for (const name of namesOf(holder)) {
      const inner = holder[name]
      if (typeof inner === 'object' && inner !== null) holders.push(inner as Holder)
      else if (typeof inner === 'string' && inner.startsWith(mark)) {
        holder[name] = keep(inner.slice(mark.length), holder, name)
      }
    }
  }
  return root[''] as WrittenJson
}

function namesOf(holder: Holder): Iterable<string | number> {
  return Array.isArray(holder) ? holder.keys() : Object.keys(holder)
}

/** The JSON text of a value, with each {@link WrittenNumber} as it was written. */
export function writeJson(value: unknown, indent?: number | string): string {
  isWriting = true
  try {
    const text = JSON.stringify(value, undefined, indent)
    return text.includes(mark) ? text.replace(markedText, '$1') : text
  } finally {
    isWriting = false
  }
}

// regexp-time: linear, as every string of a JSON text ends.
const markedText = new RegExp(`"${mark}([^"]*)"`, 'g')

/** Whether a text may have a number that no double holds: one with 16 digits, or an exponent of three. */
function mayRound(text: string): boolean {
  return /[\d.]{16}|\d[eE][+-]?\d{3}/.test(text)
}

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** The places of the numbers that no double holds. @param text well-formed JSON */
function roundedNumbers(text: string): (readonly [start: number, end: number])[] {
  const places: (readonly [number, number])[] = []
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quotationMark) index = endOfString(text, index)
    else if (code === minus || (code >= digitZero && code <= digitNine)) {
      number.lastIndex = index
      const [written = ''] = number.exec(text) ?? []
      if (isRounded(written)) places.push([index, index + written.length])
      index += written.length
    }
  }
  return places
}

function isRounded(written: string): boolean {
  if (!mayRound(written)) return false
  const value = Number(written)
  return !Number.isFinite(value) || canonicalNumber(String(value)) !== canonicalNumber(written)
}

const quotationMark = 0x22
const minus = 0x2d
const digitZero = 0x30
const digitNine = 0x39
