import type { Revision } from '../../../core/records/revision.js'

/*
 * Names of indices. Ids of schemas have no tilde, so a name with a tilde never belongs to a schema.
 *
 * `metastore-measurement`: an alias, which clients name; `metastore-measurement~1`: its index of generation 1;
 * `metastore-~schemas`: the alias for the records of schemas; `metastore-~all`: the alias for all indices of the
 * generation that answers; `metastore-~state`: an index with the state of the connector.
 */

/** Names for the indices of one repository. */
export interface IndexNames {
  /** Beginning of all names. */
  readonly prefix: string
  readonly template: string
  /** Pattern of the names of all indices with documents. */
  readonly pattern: string
  readonly state: string
  readonly all: string
  /** The alias for a revision. */
  aliasOf(revision: Pick<Revision, 'kind' | 'record'>): string
  indexOf(alias: string, generation: number): string
  /** The alias of an index of documents. */
  aliasOfIndex(index: string): string
  generationOf(index: string): number | undefined
  /** Pattern of the indices of a generation. */
  ofGeneration(generation: number): string
}

const indexPattern = /~(\d{1,9})$/

/** @param prefix of all names, such as `metastore-` */
export function indexNames(prefix: string): IndexNames {
  return {
    prefix,
    template: `${prefix}~template`,
    pattern: `${prefix}*~*`,
    state: `${prefix}~state`,
    all: `${prefix}~all`,
    aliasOf({ kind, record }) {
      if (kind === 'schema') return `${prefix}~schemas`
      return prefix + indexableId(record.schema?.schemaId ?? '~none')
    },
    indexOf: (alias, generation) => `${alias}~${generation}`,
    aliasOfIndex: index => index.replace(indexPattern, ''),
    generationOf(index) {
      const digits = indexPattern.exec(index)?.[1]
      return digits === undefined || !index.startsWith(prefix) ? undefined : Number(digits)
    },
    ofGeneration: generation => `${prefix}*~${generation}`,
  }
}

/** A schema id as a part of the name of an index, which must be in lower case and have no asterisk. */
function indexableId(schemaId: string): string {
  return schemaId.toLowerCase().replace(/[^a-z0-9._~-]/g, '_')
}

/** Whether a prefix can begin the names of indices. */
export function isIndexPrefix(prefix: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,30}$/.test(prefix)
}
