import { tryParseJson } from '../../core/json/try-parse.js'
import type { DocumentType } from '../../core/records/collection.js'
import { decodeXmlLeniently } from '../../core/xml/xml-encoding.js'
import { attribute, decodeReferences, startTag } from '../../core/xml/xml-tags.js'

/** The name by which other schemas refer to a schema: `$id` (or `id`) in JSON, the target namespace in XML. */
export function schemaName(document: Uint8Array, type: DocumentType): string | undefined {
  if (type === 'XML') return targetNamespace(decodeXmlLeniently(document))
  const schema = tryParseJson(new TextDecoder().decode(document))
  if (typeof schema !== 'object' || schema === null) return undefined
  const { $id, id } = schema as { readonly $id?: unknown; readonly id?: unknown }
  return [$id, id].find(name => typeof name === 'string')
}

function targetNamespace(text: string): string | undefined {
  for (let offset = text.indexOf('<'); offset >= 0; offset = text.indexOf('<', offset + 1)) {
    startTag.lastIndex = offset
    const [, , attributes] = startTag.exec(text) ?? []
    if (attributes === undefined) continue
    for (const [, name, double, single] of attributes.matchAll(attribute))
      if (name === 'targetNamespace') return decodeReferences(double ?? single ?? '')
    return undefined
  }
  return undefined
}
