import { LRUCache } from 'lru-cache'
import type { CoreParts } from '../../compose/compose.js'
import { unlessDamaged } from '../../core/problem.js'
import type { Revision } from '../../core/records/revision.js'
import { readCrosswalk } from './crosswalk/read-crosswalk.js'
import type { DocumentSchema } from './describe-document.js'
import { schemaName } from './schema-name.js'

/** What descriptions know about a schema, until its record or its document changes. */
export interface SchemaState extends DocumentSchema {
  /** The crosswalk as JSON, for a thread. */
  readonly json: string | undefined
}

/** Limit of the schemas whose crosswalks and names are remembered. */
const maxSchemas = 500

/** Identifies a state of a schema. A commit may change several schemas. */
export function stateKey(schema: Revision | undefined): string {
  return schema ? `${schema.commit} ${schema.id}` : ''
}

/** @returns a function that reads what is known about a schema. A schema whose document is damaged has no name */
export function openSchemaStates(
  readDocument: CoreParts['readDocument'],
): (schema: Revision | undefined) => Promise<SchemaState> {
  const remembered = new LRUCache<string, SchemaState>({ max: maxSchemas })
  return async schema => {
    if (!schema) return { crosswalk: undefined, name: undefined, json: undefined }
    const known = remembered.get(stateKey(schema))
    if (known) return known
    const { crosswalk } = schema.record
    const document = await unlessDamaged(() => readDocument(schema))
    const state = {
      crosswalk: crosswalk === undefined ? undefined : readCrosswalk(crosswalk).crosswalk,
      name: document && schemaName(document, schema.documentType),
      json: crosswalk === undefined ? undefined : JSON.stringify(crosswalk),
    }
    if (document) remembered.set(stateKey(schema), state)
    return state
  }
}
