import type { DocumentType } from '../../core/records/collection.js'
import { xmlEncodingOf } from '../../core/xml/xml-encoding.js'

/** Decodes a document, without a byte order mark. JSON is UTF-8; XML in an unknown encoding is decoded as UTF-8. */
export function documentText(bytes: Buffer, type: DocumentType): string {
  return decoderFor(type === 'XML' ? xmlEncodingOf(bytes) : 'utf-8').decode(bytes)
}

function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding)
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder()
    throw error
  }
}
