import type { DocumentType } from '../../core/records/collection.js'
import { decodeXmlLeniently } from '../../core/xml/xml-encoding.js'

/** Decodes a document, without a byte order mark. */
export function documentText(bytes: Uint8Array, type: DocumentType): string {
  return type === 'XML' ? decodeXmlLeniently(bytes) : new TextDecoder().decode(bytes)
}
