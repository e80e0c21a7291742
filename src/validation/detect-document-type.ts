import type { DocumentType } from '../core/records/collection.js'

/**
 * Bytes that may precede the first significant character: white space, the zero bytes of UTF-16 and UTF-32, and the byte order
 * marks EF BB BF, FE FF and FF FE.
 */
const insignificant = new Set([0x20, 0x0a, 0x0d, 0x09, 0, 0xef, 0xbb, 0xbf, 0xfe, 0xff])

/**
 * Guesses the language of a document in UTF-8, UTF-16 or UTF-32 from its first significant character: `{` or `[` is
 * JSON, `<` is XML. Reads a few bytes only and says nothing about validity: `core/xml/xml-encoding` finds the encoding.
 * @returns undefined for any other character
 */
export function detectDocumentType(bytes: Uint8Array): DocumentType | undefined {
  const byte = bytes.find(byte => !insignificant.has(byte))
  if (byte === 0x7b || byte === 0x5b) return 'JSON'
  return byte === 0x3c ? 'XML' : undefined
}
