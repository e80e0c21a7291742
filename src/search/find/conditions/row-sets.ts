import type { SqlQuery } from '../../../catalog/lists/list-sql.js'
import type { ScoredMatch, ScoredTable } from '../scores/bm25.js'
import { plain } from './search-sql.js'

/** Rows of the index that a condition on one table finds. */
export interface HitSet {
  readonly table: ScoredTable | 'value'
  readonly where: SqlQuery
}

/** The set of rows that match an expression. */
export function matchedRows({ table, text }: ScoredMatch): HitSet {
  return { table, where: { sql: `${table} MATCH ?`, values: [text] } }
}

/** SQL that selects the row numbers of a set. @param tail follows the condition, such as ` LIMIT ?` */
export function rowsSql({ table, where }: HitSet, tail: SqlQuery = plain('')): SqlQuery {
  return {
    sql: `SELECT ${rowColumn(table)} FROM ${table} WHERE ${where.sql}${tail.sql}`,
    values: [...where.values, ...tail.values],
  }
}

/** The column of a table that has the row number of the index. */
export function rowColumn(table: HitSet['table']): string {
  return table === 'value' ? 'rev' : 'rowid'
}
