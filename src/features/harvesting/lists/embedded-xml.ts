import { findDoctype, startOfRoot } from '../../../core/xml/xml-doctype.js'
import { openXmlDecoder, type XmlDecoder, xmlEncodingOf } from '../../../core/xml/xml-encoding.js'
import { attribute, startTag } from '../../../core/xml/xml-tags.js'

/** An XML document that becomes a part of another document. */
export interface EmbeddedXml {
  /** Bytes of the document. */
  readonly length: number
  /** The text of the document from the root element on, in pieces that each take little time. */
  pieces(): Iterable<string>
}

/** Number of bytes that are decoded at once. */
const pieceBytes = 256 * 1024

/**
 * Makes a document a part of another one: decodes it, and removes everything before its root element. Names keep their
 * namespaces even if the other document has a default namespace.
 * @param bytes a well-formed document without a DOCTYPE
 */
export function embeddedXml(bytes: Uint8Array): EmbeddedXml {
  return {
    length: bytes.length,
    *pieces() {
      const { text, end, decoder } = startOfDocument(bytes)
      const start = startOfRoot(text)
      startTag.lastIndex = start
      const [, name = '', attributes = ''] = startTag.exec(text) ?? []
      const afterName = start + 1 + name.length
      const isBare = name !== '' && attributeOf(attributes, 'xmlns') === undefined
      yield isBare ? `${text.slice(start, afterName)} xmlns=""${text.slice(afterName)}` : text.slice(start)
      for (let offset = end; offset < bytes.length; offset += pieceBytes)
        yield decoder.decode(bytes.subarray(offset, offset + pieceBytes))
      yield decoder.decode()
    },
  }
}

/** The value of an attribute as written; undefined if it is missing. @param attributes of a start tag */
function attributeOf(attributes: string, wanted: string): string | undefined {
  for (const [, name, doubleQuoted, quoted] of attributes.matchAll(attribute))
    if (name === wanted) return doubleQuoted ?? quoted
  return undefined
}

/** Decodes a document until its first tag is complete. @returns the text, where its bytes end, and the decoder */
function startOfDocument(bytes: Uint8Array): {
  text: string
  end: number
  decoder: XmlDecoder
} {
  const decoder = openXmlDecoder(xmlEncodingOf(bytes), { fatal: true })
  let text = ''
  for (let end = 0; ; ) {
    // Decodes twice as much each time, because the whole text is searched again each time.
    const next = Math.min(bytes.length, end + Math.max(pieceBytes, end))
    const isLast = next === bytes.length
    text += decoder.decode(bytes.subarray(end, next))
    end = next
    if (findDoctype(text) !== undefined)
      throw new Error('A document with a DOCTYPE cannot be a part of another one.')
    const start = startOfRoot(text)
    startTag.lastIndex = Math.max(0, start)
    if (start >= 0 && startTag.test(text)) return { text, end, decoder }
    if (isLast) throw new Error('The document has no root element.')
  }
}
