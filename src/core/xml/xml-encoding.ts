const declared = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][\w.:-]*)["']/

/**
 * The encoding of an XML document, in lower case: by its byte order mark, its declaration, or UTF-8. It may be unknown
 * to `TextDecoder`.
 * @see https://www.w3.org/TR/xml/#sec-guessing
 */
export function xmlEncodingOf(bytes: Uint8Array): string {
  const [a, b] = bytes
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (a === 0x3c && b === 0) return 'utf-16le'
  if (a === 0 && b === 0x3c) return 'utf-16be'
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200)).toString('latin1')
  const label = declared.exec(head.replace(/^ï»¿/, ''))?.[1]
  // A declaration in single bytes is not in UTF-16, even if it says so.
  return label === undefined || /^utf-?16/i.test(label) ? 'utf-8' : label.toLowerCase()
}

/** Decodes XML, without a byte order mark. An unknown encoding is decoded as UTF-8, and invalid bytes as U+FFFD. */
export function decodeXmlLeniently(bytes: Uint8Array): string {
  try {
    return new TextDecoder(xmlEncodingOf(bytes)).decode(bytes)
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder().decode(bytes)
    throw error
  }
}
