import { type Connection, openInMemory } from '../../catalog/database/sqlite-connection.js'
import { ProblemError } from '../../core/problem.js'
import type { DeclaredField } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import type { FieldLookup } from '../search/find/compile-condition.js'
import { conditionSql } from '../search/find/compile-condition.js'
import { openFieldLookup } from '../search/find/field-lookup.js'
import { attachCatalog } from '../search/find/opened-index.js'
import { openIndexRows, type SchemaDeclaration } from '../search/index/index-rows.js'
import type { DescribeRecord } from '../search/index/load-describe-module.js'
import { createSearchTables } from '../search/index/search-tables.js'
import type { SearchCondition } from '../search/search-condition.js'

/** A revision of a record, with its document. */
export interface IndexedState {
  /** The row of the revision in the catalog. */
  readonly rev: number
  readonly revision: Revision
  /** Undefined for a document that cannot be read. */
  readonly document: Uint8Array | undefined
}

/** Fields that schemas declare, by id of the schema. */
export type Declarations = ReadonlyMap<Id, readonly DeclaredField[]>

/** What revisions are compared with. */
export interface Comparison {
  /** Path of the file of the catalog. */
  readonly catalog: string
  /** What schemas say about their documents, by id. */
  readonly schemas: ReadonlyMap<Id, SchemaDeclaration>
  readonly describe: DescribeRecord
}

/** Limit of the compared text of a document, in characters. Every server has the same, so that their sets are equal. */
const textLimit = 2 ** 20

/**
 * Finds the revisions that match conditions, by an index in memory. The result is that of a caller who sees everything.
 * @param conditions only conditions for which {@link faultOf} returns undefined
 * @returns for each condition the rows of the matching revisions
 */
export function matchingStates(
  comparison: Comparison,
  states: readonly IndexedState[],
  conditions: readonly SearchCondition[],
): readonly ReadonlySet<number>[] {
  const { found, isWhole } = withIndex(comparison, states, (connection, fields) => ({
    found: conditions.map(condition => {
      const { sql, values } = conditionSql(condition, fields)
      const rows = connection
        .prepare<readonly [rev: number]>(`SELECT f.rev FROM indexed f WHERE ${sql}`)
        .all(...values)
      return new Set(rows.map(([rev]) => rev))
    }),
    isWhole: fields.notes().length === 0,
  }))
  if (isWhole || states.length < 2) return found
  // Together, the documents have more paths than one field may stand for. Halves have fewer, and give the same result:
  // whether a document matches depends on its own paths alone.
  const half = states.length >> 1
  const parts = [states.slice(0, half), states.slice(half)]
  const [one = [], other = []] = parts.map(part => matchingStates(comparison, part, conditions))
  return conditions.map((_, index) => new Set([...(one[index] ?? []), ...(other[index] ?? [])]))
}

/** Why a condition cannot be searched for; undefined if it can. */
export function faultOf(comparison: Comparison, condition: SearchCondition): string | undefined {
  try {
    withIndex(comparison, [], (_, fields) => conditionSql(condition, fields))
    return undefined
  } catch (thrown) {
    if (thrown instanceof ProblemError) return thrown.message
    throw thrown
  }
}

function withIndex<T>(
  { catalog, schemas, describe }: Comparison,
  states: readonly IndexedState[],
  job: (connection: Connection, fields: FieldLookup) => T,
): T {
  const connection = openInMemory()
  try {
    createSearchTables(connection, '')
    attachCatalog(connection, { catalog })
    const rows = openIndexRows(connection, describe)
    for (const [schema, declaration] of schemas) rows.declare(schema, declaration)
    for (const { rev, revision, document } of states) rows.put(rev, rev, { revision, document, textLimit })
    return job(connection, openFieldLookup(connection, true)({}))
  } finally {
    connection.close()
  }
}
