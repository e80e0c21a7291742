import { LRUCache } from 'lru-cache'
import type { Revision } from '../../core/records/revision.js'

/** Limit of the schemas whose crosswalks are remembered. */
const maxSchemas = 500

/** Identifies a state of a schema. A commit may change several schemas. */
export function stateKey(schema: Revision | undefined): string {
  return schema ? `${schema.commit} ${schema.id}` : ''
}

/** @returns a function that gives the crosswalk of a schema as JSON; undefined for a schema without one */
export function openSchemaCrosswalks(): (schema: Revision | undefined) => string | undefined {
  const remembered = new LRUCache<string, string>({ max: maxSchemas })
  return schema => {
    const crosswalk = schema?.record.crosswalk
    if (crosswalk === undefined) return undefined
    const known = remembered.get(stateKey(schema)) ?? JSON.stringify(crosswalk)
    remembered.set(stateKey(schema), known)
    return known
  }
}
