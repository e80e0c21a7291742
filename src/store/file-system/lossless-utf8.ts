import { isUtf8 } from 'node:buffer'

/**
 * Decodes UTF-8. An invalid byte becomes a lone surrogate (U+DC80 to U+DCFF), so that distinct file names stay
 * distinct.
 * @see https://peps.python.org/pep-0383/
 */
export function decodeUtf8Lossless(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(buffer)) return buffer.toString()
  let text = ''
  for (let offset = 0; offset < buffer.length; ) {
    const size = [1, 2, 3, 4].find(length => isUtf8(buffer.subarray(offset, offset + length)))
    text +=
      size === undefined
        ? String.fromCharCode(0xdc00 + buffer.readUInt8(offset))
        : buffer.toString('utf8', offset, offset + size)
    offset += size ?? 1
  }
  return text
}
