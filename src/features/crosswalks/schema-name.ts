import { tryParseJson } from '../../core/json/try-parse.js'
import type { DocumentType } from '../../core/records/collection.js'
import { targetNamespaceOf } from '../../service/rules/schema-namespaces.js'

/** The name by which other schemas refer to a schema: `$id` (or `id`) in JSON, the target namespace in XML. */
export function schemaName(document: Uint8Array, type: DocumentType): string | undefined {
  if (type === 'XML') return targetNamespaceOf(document) || undefined
  const schema = tryParseJson(new TextDecoder().decode(document))
  if (typeof schema !== 'object' || schema === null) return undefined
  const { $id, id } = schema as { readonly $id?: unknown; readonly id?: unknown }
  return [$id, id].find(name => typeof name === 'string')
}
