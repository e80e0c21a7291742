import { decodeUtf8, stringifyJson } from '../../core/json/strict-json.js'
import { tryParseJson } from '../../core/json/try-parse.js'
import { malformedRequest } from '../../core/problem.js'

/*
 * Encodes the bytes of a file in JSON, without loss: as a JSON value if a usual formatting of the value gives these
 * bytes, else as text, else in base64.
 */

/** The formattings that are tried: compact, and indented by spaces or a tab. */
const indents = [undefined, 2, 4, 1, '\t'] as const

/**
 * Encodes a file as `{"json": …}`, `{"text": …}` or `{"base64": …}`.
 * @returns JSON text of one object, on one line
 */
export function encodeContent(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) return JSON.stringify({ base64: Buffer.from(bytes).toString('base64') })
  return asJson(text) ?? JSON.stringify({ text })
}

/** Encodes the text as a JSON value. @returns undefined if no usual formatting gives the text */
function asJson(text: string): string | undefined {
  const first = text.charAt(0)
  if (first !== '{' && first !== '[') return undefined
  const json = tryParseJson(text)
  if (json === undefined) return undefined
  const newline = text.endsWith('\n')
  const body = newline ? text.slice(0, -1) : text
  // The second line shows the indentation, if there is one.
  const lead = /^[[{]\n([ \t]*)/.exec(body)?.[1]
  const indent = indents.find(each => lead === (typeof each === 'number' ? ' '.repeat(each) : each))
  if (stringifyJson(json, indent) !== body) return undefined
  const compact = indent === undefined ? body : stringifyJson(json)
  const how = `${indent === undefined ? '' : `,"indent":${JSON.stringify(indent)}`}${newline ? ',"newline":true' : ''}`
  return `{"json":${compact}${how}}`
}

/** Decodes the bytes of a file. @throws ProblemError `malformed-request` */
export function decodeContent(value: unknown, what: string): Buffer {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { json, indent, newline, text, base64 } = value as Readonly<Record<string, unknown>>
    if (json !== undefined && (indent === undefined || indents.includes(indent as 2))) {
      const spelled = stringifyJson(json, indent as 2)
      if (spelled === undefined) throw malformedRequest(`${what} is nested too deeply.`)
      return Buffer.from(newline === true ? `${spelled}\n` : spelled)
    }
    if (typeof text === 'string') return Buffer.from(text)
    if (typeof base64 === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.length % 4 === 0) {
      return Buffer.from(base64, 'base64')
    }
  }
  throw malformedRequest(`${what} must be {"json": …}, {"text": "…"} or {"base64": "…"}.`)
}
