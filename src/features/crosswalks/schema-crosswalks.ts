import { LRUCache } from 'lru-cache'
import type { Revision } from '../../core/records/revision.js'
import type { Crosswalk } from './crosswalk/crosswalk-rules.js'
import { readCrosswalk } from './crosswalk/read-crosswalk.js'

/** A crosswalk, and the same as JSON, for a thread. */
export interface CrosswalkToApply {
  readonly crosswalk: Crosswalk
  readonly json: string
}

/** Limit of the schemas whose crosswalks are remembered. */
const maxSchemas = 500

/** Identifies a state of a schema. A commit may change several schemas. */
export function stateKey(schema: Revision | undefined): string {
  return schema ? `${schema.commit} ${schema.id}` : ''
}

/** @returns a function that gives the crosswalk of a schema; undefined for a schema without one */
export function openSchemaCrosswalks(): (schema: Revision | undefined) => CrosswalkToApply | undefined {
  const remembered = new LRUCache<string, CrosswalkToApply>({ max: maxSchemas })
  return schema => {
    const json = schema?.record.crosswalk
    if (json === undefined) return undefined
    const known = remembered.get(stateKey(schema)) ?? {
      crosswalk: readCrosswalk(json).crosswalk,
      json: JSON.stringify(json),
    }
    remembered.set(stateKey(schema), known)
    return known
  }
}
