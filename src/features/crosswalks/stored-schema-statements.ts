import { LRUCache } from 'lru-cache'
import type { CoreParts } from '../../compose/compose.js'
import { unlessDamaged } from '../../core/problem.js'
import type { Revision } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import { knownSchemaOfSchema } from './known/known-schema-of-schema.js'
import { writeStatement } from './schema-statement.js'

/** Limit of the schemas that are remembered. */
const maxSchemas = 500

/** Identifies a state of a schema. A commit may change several schemas. */
export function stateKey(schema: Revision | undefined): string {
  return schema ? `${schema.commit} ${schema.id}` : ''
}

/**
 * Returns a function that gives what a schema says about its documents, as text; undefined for one that says nothing.
 * @param readDocument reads the document of a schema
 */
export function openSchemaStatements({
  readDocument,
}: Pick<CoreParts, 'readDocument'>): (
  schema: Revision | undefined,
  trial: string | undefined,
) => Promise<string | undefined> {
  const remembered = new LRUCache<string, string>({ max: maxSchemas })
  const knownNames = new LRUCache<Oid, string>({ max: maxSchemas })

  async function knownNameOf(schema: Revision): Promise<string | undefined> {
    const { document, documentType } = schema
    const found = knownNames.get(document)
    if (found !== undefined) return found || undefined
    const bytes = documentType === 'JSON' ? await unlessDamaged(() => readDocument(schema)) : undefined
    const name = bytes && knownSchemaOfSchema(bytes, documentType)?.name
    knownNames.set(document, name ?? '')
    return name
  }

  return async (schema, trial) => {
    const known = schema && (await knownNameOf(schema))
    if (trial !== undefined) return writeStatement(JSON.parse(trial), known)
    if (!schema) return undefined
    const text = remembered.get(stateKey(schema)) ?? writeStatement(schema.record.crosswalk, known) ?? ''
    remembered.set(stateKey(schema), text)
    return text || undefined
  }
}
