import type { Finding } from '../problem.js'
import { truncate } from '../value-types.js'
import { tryParseJson } from './try-parse.js'

/** The number of the line that has the position `offset`, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', end + 1)) line++
  return line
}

interface Step {
  readonly below: Map<string, Step>
  /** The requested pointer that leads here; undefined if none does. */
  pointer?: string
}

interface Level {
  /** Undefined if no pointer leads below this level. */
  readonly step: Step | undefined
  /** The index of the next item of an array. */
  index?: number
  /** The level is an object, and its next token is the name of a member. */
  isName: boolean
}

/** A place in a text. Both count from 1; the column in UTF-16 code units. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/**
 * Places of the members and items at JSON Pointers: of a member, the name. If a name is repeated, the last one counts,
 * as for JSON.parse.
 * @param text well-formed JSON
 * @see RFC 6901
 */
export function placesOfPointers(text: string, pointers: Iterable<string>): ReadonlyMap<string, TextPlace> {
  const places = new Map<string, TextPlace>()
  const open: Level[] = []
  let next: Step | undefined = stepsTo(pointers)
  let line = 1
  let lineStart = 0
  let index = 0
  const met = (step: Step | undefined) => {
    if (step?.pointer !== undefined) places.set(step.pointer, { line, column: index - lineStart + 1 })
  }
  for (; index < text.length; index++) {
    const char = text.charAt(index)
    const level = open.at(-1)
    if (char === '\n') {
      line++
      lineStart = index + 1
    } else if (/[\s:]/.test(char)) continue
    else if (char === ',' && level) {
      if (level.index === undefined) level.isName = true
      else next = level.step?.below.get(String(++level.index))
    } else if (char === '}' || char === ']') open.pop()
    else if (level?.isName) {
      const end = endOfString(text, index)
      next = level.step?.below.size ? level.step.below.get(nameIn(text.slice(index, end + 1))) : undefined
      met(next)
      level.isName = false
      index = end
    } else {
      // The place of a member is that of its name.
      if (level?.index !== undefined || open.length === 0) met(next)
      if (char === '"') index = endOfString(text, index)
      else if (char === '{') open.push({ step: next, isName: true })
      else if (char === '[') {
        open.push({ step: next, isName: false, index: 0 })
        next = next?.below.get('0')
      }
    }
  }
  return places
}

function nameIn(literal: string): string {
  return JSON.parse(literal) as string
}

function stepsTo(pointers: Iterable<string>): Step {
  const root: Step = { below: new Map() }
  for (const pointer of pointers) {
    let step = root
    for (const part of pointer.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const below = step.below.get(name) ?? { below: new Map() }
      step.below.set(name, below)
      step = below
    }
    step.pointer = pointer
  }
  return root
}

/**
 * The first syntax fault of a text. The errors of JSON.parse do not always give the place, and their messages change
 * with releases of Node.js.
 */
export function syntaxFinding(text: string): Finding {
  const { at, expected } = faultIn(text)
  const found =
    at < text.length ? `found ${JSON.stringify(truncate(text.slice(at, at + 20).trimEnd()))}` : 'it ends here'
  return { message: `It is not well-formed JSON: ${expected} expected, ${found}.`, line: lineAt(text, at) }
}

/** Position of the closing quote of the string that begins at `start`; the length of the text if there is none. */
export function endOfString(text: string, start: number): number {
  for (let offset = start + 1; offset < text.length; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 0x22) return offset
    if (code === 0x5c) offset++
  }
  return text.length
}

const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const blank = /[ \t\r\n]*/y

/** The first position at which a text is not JSON. */
function faultIn(text: string): { at: number; expected: string } {
  const open: ('{' | '[')[] = []
  let offset = 0
  let want: 'value' | 'value or ]' | 'key' | 'key or }' | 'next' = 'value'
  const skip = (pattern: RegExp): number => {
    pattern.lastIndex = offset
    return pattern.exec(text)?.[0].length ?? 0
  }
  for (;;) {
    offset += skip(blank)
    const char = text.charAt(offset)
    const inside = open.at(-1)
    if (want === 'next') {
      if (inside === undefined) return { at: offset, expected: 'the end' }
      if (char === ',') want = inside === '{' ? 'key' : 'value'
      else if (char === (inside === '{' ? '}' : ']')) open.pop()
      else return { at: offset, expected: inside === '{' ? '"," or "}"' : '"," or "]"' }
      offset++
    } else if (want === 'key' || want === 'key or }') {
      if (char === '}' && want === 'key or }') {
        open.pop()
        want = 'next'
        offset++
        continue
      }
      const length = stringAt(text, offset)
      if (length === undefined) return { at: offset, expected: 'a name in double quotes' }
      offset += length
      offset += skip(blank)
      if (text.charAt(offset) !== ':') return { at: offset, expected: '":"' }
      offset++
      want = 'value'
    } else if (char === '{' || char === '[') {
      open.push(char)
      want = char === '{' ? 'key or }' : 'value or ]'
      offset++
    } else if (char === ']' && want === 'value or ]') {
      open.pop()
      want = 'next'
      offset++
    } else {
      const length = char === '"' ? stringAt(text, offset) : skip(scalar)
      if (!length) return { at: offset, expected: 'a value' }
      offset += length
      want = 'next'
    }
  }
}

/** Length of the string literal at a position; undefined if there is none. */
function stringAt(text: string, offset: number): number | undefined {
  if (text.charAt(offset) !== '"') return undefined
  const end = endOfString(text, offset)
  const literal = text.slice(offset, end + 1)
  return tryParseJson(literal) === undefined ? undefined : literal.length
}
