import { clip } from '../core/values.js'
import { fault } from './faults.js'

/** Levels of arrays and objects a document may have; validators recurse, so that more would exhaust the stack. */
const deepestJson = 512

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON document. A byte order mark is skipped.
 * @throws ProblemError `unprocessable` with the line of the first fault
 * @see RFC 8259
 */
export function parseJson(bytes: Uint8Array): Json {
  const text = decode(bytes)
  const deep = lineBelow(text, deepestJson)
  if (deep !== undefined) {
    throw fault({ message: `It has more than ${deepestJson} levels of arrays and objects.`, line: deep })
  }
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { at, expected } = faultIn(text)
    const found =
      at < text.length ? `found ${JSON.stringify(clip(text.slice(at, at + 20).trimEnd()))}` : 'it ends here'
    throw fault({
      message: `It is not well-formed JSON: ${expected} expected, ${found}.`,
      line: lineAt(text, at),
    })
  }
}

/** Line of a position, from 1. */
export function lineAt(text: string, at: number): number {
  let line = 1
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line++
  return line
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw fault({ message: 'It is not UTF-8, the encoding of JSON.', line: lineOfBadByte(bytes) })
  }
}

function lineOfBadByte(bytes: Uint8Array): number {
  const lenient = new TextDecoder('utf-8').decode(bytes)
  let at = lenient.indexOf('\ufffd')
  // A replacement character may also stand in the document itself; the one looked for has no such bytes.
  while (at >= 0 && isPrefix(lenient.slice(0, at + 1), bytes)) at = lenient.indexOf('\ufffd', at + 1)
  return lineAt(lenient, at)
}

function isPrefix(text: string, bytes: Uint8Array): boolean {
  const start = Buffer.from(text)
  const offset = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  return start.equals(bytes.subarray(offset, offset + start.length))
}

/** Line of the bracket that goes deeper than `limit`, or undefined. */
function lineBelow(text: string, limit: number): number | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = endOfString(text, at)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return lineAt(text, at)
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return undefined
}

/** Position of the closing quote, or the last position of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at
    if (code === 0x5c) at++
  }
  return text.length
}

const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const blank = /[ \t\r\n]*/y

/** Where a text stops being JSON. JSON.parse itself does not always tell, and words it differently in every release. */
function faultIn(text: string): { at: number; expected: string } {
  const open: ('{' | '[')[] = []
  let at = 0
  let want: 'value' | 'value or ]' | 'key' | 'key or }' | 'next' = 'value'
  const skip = (pattern: RegExp): number => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0].length ?? 0
  }
  for (;;) {
    at += skip(blank)
    const char = text.charAt(at)
    const inside = open.at(-1)
    if (want === 'next') {
      if (inside === undefined) return { at, expected: 'the end' }
      if (char === ',') want = inside === '{' ? 'key' : 'value'
      else if (char === (inside === '{' ? '}' : ']')) open.pop()
      else return { at, expected: inside === '{' ? '"," or "}"' : '"," or "]"' }
      at++
    } else if (want === 'key' || want === 'key or }') {
      if (char === '}' && want === 'key or }') {
        open.pop()
        want = 'next'
        at++
        continue
      }
      const length = stringAt(text, at)
      if (length === undefined) return { at, expected: 'a name in double quotes' }
      at += length
      at += skip(blank)
      if (text.charAt(at) !== ':') return { at, expected: '":"' }
      at++
      want = 'value'
    } else if (char === '{' || char === '[') {
      open.push(char)
      want = char === '{' ? 'key or }' : 'value or ]'
      at++
    } else if (char === ']' && want === 'value or ]') {
      open.pop()
      want = 'next'
      at++
    } else {
      const length = char === '"' ? stringAt(text, at) : skip(scalar)
      if (!length) return { at, expected: 'a value' }
      at += length
      want = 'next'
    }
  }
}

/** Length of the string literal at a position, or undefined where there is none. */
function stringAt(text: string, at: number): number | undefined {
  if (text.charAt(at) !== '"') return undefined
  const end = endOfString(text, at)
  const literal = text.slice(at, end + 1)
  try {
    JSON.parse(literal)
    return literal.length
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
