import type { SqlQuery } from '../../../catalog/lists/list-sql.js'
import type { ScoredTable } from '../scores/bm25.js'
import { plain } from './search-sql.js'

/** An expression of FTS5 in one table. The table also tells how rare a word is: scores are made of that. */
export interface ScoredMatch {
  /** `words`: words of any field. `leaf`: words at paths of documents. */
  readonly table: ScoredTable
  readonly text: string
}

/** Rows of the index that are found in one table. */
export interface HitSet {
  readonly table: ScoredTable | 'value'
  readonly where: SqlQuery
}

/** The rows of an expression. */
export function matchedRows({ table, text }: ScoredMatch): HitSet {
  return { table, where: { sql: `${table} MATCH ?`, values: [text] } }
}

/** SQL that selects the rows of a set. @param tail follows the condition, such as ` LIMIT ?` */
export function rowsSql({ table, where }: HitSet, tail: SqlQuery = plain('')): SqlQuery {
  return {
    sql: `SELECT ${rowColumn(table)} FROM ${table} WHERE ${where.sql}${tail.sql}`,
    values: [...where.values, ...tail.values],
  }
}

/** The column of a table that has the row in the index. */
export function rowColumn(table: HitSet['table']): string {
  return table === 'value' ? 'rev' : 'rowid'
}
