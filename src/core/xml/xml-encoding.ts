const declared = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][\w.:-]*)["']/

/**
 * The encoding of an XML document, in lower case: by its byte order mark, else its declaration, else UTF-8. It may be
 * unknown to `TextDecoder`.
 * @see https://www.w3.org/TR/xml/#sec-guessing
 */
export function xmlEncodingOf(bytes: Uint8Array): string {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (a === 0x3c && b === 0) return 'utf-16le'
  if (a === 0 && b === 0x3c) return 'utf-16be'
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200)).toString('latin1')
  const label = declared.exec(head)?.[1]
  // A declaration in single bytes is not in UTF-16, even if it says so.
  return label === undefined || /^utf-?16/i.test(label) ? 'utf-8' : label.toLowerCase()
}

/** Decodes bytes in pieces. The last call has no bytes. */
export interface XmlDecoder {
  decode(bytes?: Uint8Array): string
}

/**
 * Names of ISO 8859-1, which `TextDecoder` takes for Windows-1252.
 * @see https://encoding.spec.whatwg.org/#names-and-labels
 */
const latin1Names: ReadonlySet<string> = new Set([
  ...['iso-8859-1', 'iso8859-1', 'iso88591', 'iso_8859-1', 'iso_8859-1:1987', 'iso-ir-100'],
  ...['latin1', 'l1', 'csisolatin1', 'cp819', 'ibm819'],
])

const latin1Decoder: XmlDecoder = {
  decode: (bytes = new Uint8Array()) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'),
}

/**
 * @param encoding by {@link xmlEncodingOf}
 * @param fatal invalid bytes throw a TypeError; else they are decoded as U+FFFD
 * @throws RangeError for an unknown encoding
 */
export function openXmlDecoder(encoding: string, { fatal }: { readonly fatal: boolean }): XmlDecoder {
  if (latin1Names.has(encoding)) return latin1Decoder
  const decoder = new TextDecoder(encoding, { fatal })
  // Always as a stream: Node.js 20 decodes Windows-1252 as Latin-1 otherwise.
  return { decode: bytes => (bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()) }
}

/** Decodes XML, without a byte order mark. An unknown encoding is decoded as UTF-8, and invalid bytes as U+FFFD. */
export function decodeXmlLeniently(bytes: Uint8Array): string {
  try {
    return decodeWhole(openXmlDecoder(xmlEncodingOf(bytes), { fatal: false }), bytes)
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder().decode(bytes)
    throw error
  }
}

/** @throws RangeError for an unknown encoding; TypeError for bytes that do not match it */
export function decodeXmlStrictly(bytes: Uint8Array, encoding: string): string {
  return decodeWhole(openXmlDecoder(encoding, { fatal: true }), bytes)
}

function decodeWhole(decoder: XmlDecoder, bytes: Uint8Array): string {
  return decoder.decode(bytes) + decoder.decode()
}
