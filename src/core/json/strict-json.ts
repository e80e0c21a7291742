import type { Finding } from '../problem.js'
import { syntaxFinding } from './source-locations.js'

/** The value of a JSON text, or its fault. */
type JsonText = { readonly value: unknown } | { readonly fault: Finding }

/** Limit of a text to parse, in bytes: much larger than any record of a request. */
export const maxTextBytes = 64 * 2 ** 20

/** Parses JSON strictly: no byte order mark, no invalid UTF-8, no repeated member (JSON.parse keeps the last one). */
export function parseStrictJson(bytes: Uint8Array): JsonText {
  if (bytes.byteLength > maxTextBytes) {
    const size = `${Math.ceil(bytes.byteLength / 2 ** 20)} MiB; at most ${maxTextBytes / 2 ** 20} are read`
    return { fault: { message: `It has ${size}.`, path: '' } }
  }
  const text = decodeUtf8(bytes)
  if (text === undefined) return { fault: { message: 'It is not UTF-8 text.', path: '' } }
  if (text.startsWith('\ufeff')) {
    return { fault: { message: 'It begins with a byte order mark. Save it as UTF-8 without one.', path: '' } }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: { ...syntaxFinding(text), path: '' } }
    throw error
  }
  const broken = findLoneSurrogate(text)
  if (broken !== undefined) return { fault: { message: broken, path: '' } }
  // A value written again has no repeated member, so a text that is equal to it has none. Stored records and most lines
  // of an import are written in this format.
  const ours = text.includes('\n') ? `${stringifyJson(value, 2)}\n` : stringifyJson(value)
  if (ours === text) return { value }
  const repeated = repeatedMember(text)
  if (repeated === undefined) return { value }
  const message = `The member ${JSON.stringify(repeated.name)} is there twice.`
  return { fault: { message, path: repeated.path } }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8. Keeps a byte order mark. @returns undefined if the bytes are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** The JSON text of a value on one line, or with an indentation; undefined if it has too many levels. */
export function stringifyJson(value: unknown, indent?: number | string): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** JSON Pointer of a member or item. @see RFC 6901 §3 */
export function appendJsonPointer(parent: string, member: string | number): string {
  return `${parent}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/**
 * The message for a JSON text with half of a surrogate pair; undefined if it has none. UTF-8 cannot encode such a half:
 * two texts that differ only there would be stored with equal bytes. @see RFC 7493 §2.1
 */
export function findLoneSurrogate(text: string): string | undefined {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return undefined
  // regexp-time: linear, as every string of a well-formed text ends.
  for (const [literal] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"/gs)) {
    if (/\p{Surrogate}/u.test(JSON.parse(literal) as string)) {
      return `The text ${literal.slice(0, 80)} has half of a surrogate pair, which is no character.`
    }
  }
  return undefined
}

interface Level {
  readonly path: string
  /** Names of the object's members so far; undefined for an array. */
  readonly names: Set<string> | undefined
  /** Name or index of the next value. */
  key: string | number
}

/** The first repeated member in a well-formed JSON text, if any. Not recursive, because a text may have many levels. */
function repeatedMember(text: string): { readonly name: string; readonly path: string } | undefined {
  // regexp-time: linear, as every string of a well-formed text ends.
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\],]/gs
  const levels: Level[] = []
  for (const match of text.matchAll(token)) {
    const level = levels.at(-1)
    const mark = match[0]
    if (mark === '{' || mark === '[') {
      const path = level ? appendJsonPointer(level.path, level.key) : ''
      levels.push(mark === '{' ? { path, names: new Set(), key: '' } : { path, names: undefined, key: 0 })
    } else if (mark === '}' || mark === ']') {
      levels.pop()
    } else if (mark === ',') {
      if (level && typeof level.key === 'number') level.key++
    } else if (match[1] !== undefined && level?.names) {
      const name = JSON.parse(mark.slice(0, -match[1].length)) as string
      if (level.names.has(name)) return { name, path: appendJsonPointer(level.path, name) }
      level.names.add(name)
      level.key = name
    }
  }
  return undefined
}
