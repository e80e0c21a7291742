import type { DocumentType } from '../core/records/collection.js'

/**
 * Guesses the language of a document from its first significant character: `{` or `[` is JSON, `<` is XML, behind a
 * byte order mark and white space, in UTF-8 and UTF-16. Looks at a few bytes only and says nothing about validity.
 */
export function detectDocumentType(bytes: Uint8Array): DocumentType | undefined {
  for (const byte of bytes) {
    // UTF-16 puts a zero beside each of the characters looked for; a byte order mark is EF BB BF, FE FF or FF FE.
    if (isBlank(byte) || byte === 0 || byte === 0xef || byte === 0xbb || byte === 0xbf || byte >= 0xfe)
      continue
    if (byte === 0x7b || byte === 0x5b) return 'JSON'
    return byte === 0x3c ? 'XML' : undefined
  }
  return undefined
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
