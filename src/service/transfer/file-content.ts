import { stringifyJson } from '../../core/json/strict-json.js'
import { tryParseJson } from '../../core/json/try-parse.js'
import { ProblemError } from '../../core/problem.js'

/*
 * Bytes of a file inside a line of JSON, exactly: as the JSON value they say where its usual spelling is what they
 * are, else as text, else in base 64.
 */

/** Ways to spell a JSON value that are tried: compact, and with so much before each member. */
const indents = [undefined, 2, 4, 1, '\t'] as const

/** @returns JSON text of one object, on one line */
export function encodeContent(bytes: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify({ base64: Buffer.from(bytes).toString('base64') })
  }
  return asJson(text) ?? JSON.stringify({ text })
}

/** The value, where some usual spelling of it is the text. */
function asJson(text: string): string | undefined {
  const first = text.charAt(0)
  if (first !== '{' && first !== '[') return undefined
  const json = tryParseJson(text)
  if (json === undefined) return undefined
  const newline = text.endsWith('\n')
  const body = newline ? text.slice(0, -1) : text
  // The second line tells how it is indented, if at all.
  const lead = /^[[{]\n([ \t]*)/.exec(body)?.[1]
  const indent = indents.find(each => lead === (typeof each === 'number' ? ' '.repeat(each) : each))
  if (stringifyJson(json, indent) !== body) return undefined
  const compact = indent === undefined ? body : stringifyJson(json)
  const how = `${indent === undefined ? '' : `,"indent":${JSON.stringify(indent)}`}${newline ? ',"newline":true' : ''}`
  return `{"json":${compact}${how}}`
}

/** @throws ProblemError `malformed-request` where it is none of the forms */
export function decodeContent(value: unknown, what: string): Buffer {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { json, indent, newline, text, base64 } = value as Readonly<Record<string, unknown>>
    if (json !== undefined && (indent === undefined || indents.includes(indent as 2))) {
      const spelled = stringifyJson(json, indent as 2)
      if (spelled === undefined) throw new ProblemError('malformed-request', `${what} is nested too deeply.`)
      return Buffer.from(newline === true ? `${spelled}\n` : spelled)
    }
    if (typeof text === 'string') return Buffer.from(text)
    if (typeof base64 === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.length % 4 === 0) {
      return Buffer.from(base64, 'base64')
    }
  }
  throw new ProblemError(
    'malformed-request',
    `${what} has to be {"json": …}, {"text": "…"} or {"base64": "…"}.`,
  )
}
