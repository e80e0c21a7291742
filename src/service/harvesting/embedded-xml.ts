import { positionAfter, startTag } from '../../core/xml/xml-tags.js'
import { decodeXml, lineOfDoctype } from '../../validation/xml/source-text.js'

/**
 * An XML document as a part of another one: decoded, and without what stands before its root element. Its names keep
 * their namespaces also where the other document has a default namespace.
 * @param bytes a well-formed document
 * @throws ProblemError `unprocessable` for bytes that do not match their encoding
 */
export function embeddedXml(bytes: Uint8Array): string {
  const text = decodeXml(bytes)
  if (lineOfDoctype(text) !== undefined)
    throw new Error('A document with a DOCTYPE cannot be part of another one.')
  const start = startOfRoot(text)
  startTag.lastIndex = start
  const [, name = '', attributes = ''] = startTag.exec(text) ?? []
  if (name === '' || /[ \t\r\n]xmlns[ \t\r\n]*=/.test(attributes)) return text.slice(start).trimEnd()
  const end = start + 1 + name.length
  return `${text.slice(start, end)} xmlns=""${text.slice(end).trimEnd()}`
}

/** The namespace of the documents of an XML schema; empty if they have none. @param bytes of the schema */
export function targetNamespaceOf(bytes: Uint8Array): string {
  const text = decodeXml(bytes)
  startTag.lastIndex = startOfRoot(text)
  const attributes = startTag.exec(text)?.[2] ?? ''
  const found = /[ \t\r\n]targetNamespace[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')/.exec(attributes)
  return found?.[1] ?? found?.[2] ?? ''
}

/** The position of the root element in a document without a DOCTYPE. */
function startOfRoot(text: string): number {
  let at = 0
  for (;;) {
    while (/[ \t\r\n]/.test(text.charAt(at))) at++
    if (text.startsWith('<!--', at)) at = positionAfter(text, '-->', at + 4)
    else if (text.startsWith('<?', at)) at = positionAfter(text, '?>', at + 2)
    else return at
    if (at < 0) throw new Error('The document has no root element.')
  }
}
