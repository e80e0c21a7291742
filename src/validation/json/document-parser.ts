import { endOfString, lineAt, syntaxFinding } from '../../core/json/source-locations.js'
import { findingError } from '../findings.js'

/** Limit of the levels of arrays and objects in a document. Validators recurse: more levels would exhaust the stack. */
export const maxJsonDepth = 512

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a JSON document with or without a byte order mark.
 * @param deepest limit of the levels of arrays and objects
 * @param parse makes the value of the text; throws SyntaxError. `isSuspect` is false if doubles hold all numbers
 * @throws ProblemError `unprocessable` with the line of the first fault
 * @see RFC 8259
 */
export function parseJsonDocument<T>(
  bytes: Uint8Array,
  deepest: number | undefined,
  parse: (text: string, isSuspect: boolean) => T,
): T {
  const limit = deepest ?? maxJsonDepth
  const text = decode(bytes)
  const { tooDeep, isSuspect } = inspect(text, limit)
  if (tooDeep !== undefined) {
    const line = lineAt(text, tooDeep)
    throw findingError({ message: `It has more than ${limit} levels of arrays and objects.`, line })
  }
  try {
    return parse(text, isSuspect)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw findingError(syntaxFinding(text))
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw findingError({ message: 'It is not UTF-8, the encoding of JSON.', line: lineOfBadByte(bytes) })
  }
}

function lineOfBadByte(bytes: Uint8Array): number {
  const lenient = new TextDecoder('utf-8').decode(bytes)
  let index = lenient.indexOf('\ufffd')
  // Skips replacement characters that are in the document itself.
  while (index >= 0 && isPrefix(lenient.slice(0, index + 1), bytes))
    index = lenient.indexOf('\ufffd', index + 1)
  return lineAt(lenient, index)
}

function isPrefix(text: string, bytes: Uint8Array): boolean {
  const start = Buffer.from(text)
  const offset = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  return start.equals(bytes.subarray(offset, offset + start.length))
}

interface Inspection {
  /** Position of the first bracket that is nested too deeply. */
  readonly tooDeep?: number
  /** Whether a number has 16 digits or an exponent: a double may not hold it. */
  readonly isSuspect: boolean
}

/** Reads a text that may not be JSON. @param deepest limit of the levels of arrays and objects */
function inspect(text: string, deepest: number): Inspection {
  let depth = 0
  let isSuspect = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x22) index = endOfString(text, index)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) return { tooDeep: index, isSuspect }
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (code >= 0x30 && code <= 0x39) {
      const end = endOfDigits(text, index)
      const isLong = end - index >= 16
      isSuspect ||= isLong || text.charAt(end) === 'e' || text.charAt(end) === 'E'
      index = end - 1
    }
  }
  return { isSuspect }
}

/** The position after digits and points. */
function endOfDigits(text: string, start: number): number {
  for (let end = start; ; end++) {
    const code = text.charCodeAt(end)
    if (!(code >= 0x30 && code <= 0x39) && code !== 0x2e) return end
  }
}
