import { tryParseJson } from '../../../core/json/try-parse.js'
import type { DocumentType } from '../../../core/records/collection.js'
import { isJsonObject } from '../crosswalk/json-object.js'
import type { KnownSchema } from './document-facts.js'
import { knownSchemas } from './known-schemas.js'

/** Limit of the bytes of a schema that is looked at. */
const maxSchemaBytes = 2 ** 20
/** Limit of the references of a schema that are looked at. */
const maxReferences = 100

/**
 * The known schema that all documents of a JSON Schema follow: by its `$id`, or by a reference at its top, which only adds
 * rules to the known schema. The documents of an XML Schema have its namespace themselves.
 */
export function knownSchemaOfSchema(bytes: Uint8Array, type: DocumentType): KnownSchema | undefined {
  if (type !== 'JSON' || bytes.length > maxSchemaBytes) return undefined
  const schema = tryParseJson(new TextDecoder().decode(bytes))
  if (!isJsonObject(schema)) return undefined
  const { allOf } = schema
  const others = Array.isArray(allOf) ? allOf.slice(0, maxReferences).filter(isJsonObject) : []
  const names = [schema.$id, schema.id, ...[schema, ...others].map(each => each.$ref)]
  for (const name of names) {
    const known =
      typeof name === 'string' ? knownSchemas.find(({ schemaId }) => schemaId?.test(name)) : undefined
    if (known) return known
  }
  return undefined
}
