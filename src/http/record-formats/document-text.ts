import type { DocumentType } from '../../core/records/collection.js'

/** Decodes a document, without a byte order mark. JSON is UTF-8; an XML document declares its encoding. */
export function documentText(bytes: Buffer, type: DocumentType): string {
  return new TextDecoder(type === 'XML' ? encodingOf(bytes) : 'utf-8').decode(bytes)
}

/**
 * The encoding that an XML document declares; UTF-8 where it declares none, or an unknown one.
 * @see https://www.w3.org/TR/xml/#sec-guessing
 */
function encodingOf(bytes: Buffer): string {
  const [first, second] = bytes
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  if (first === 0xef) return 'utf-8' // a byte order mark takes precedence over the declaration
  const declaration = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']/.exec(bytes.toString('latin1', 0, 200))
  const label = declaration?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label).encoding
  } catch (error) {
    if (error instanceof RangeError) return 'utf-8'
    throw error
  }
}
