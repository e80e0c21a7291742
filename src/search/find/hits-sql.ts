import type { SqlRow } from '../../catalog/database/sqlite-connection.js'
import { type SqlQuery, visibleSql } from '../../catalog/lists/list-sql.js'
import type { Collection } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { CompiledCondition } from './condition-sql.js'
import { isOneOf, joined, plain } from './search-sql.js'

/** Weights of a hit in the title, the record and the document. */
export const scoreSql = 'bm25(words, 8.0, 3.0, 1.0)'

/** Hits that a caller sees. */
export interface HitSource {
  readonly condition: CompiledCondition
  readonly kinds: readonly Collection[]
  readonly visibility: Visibility
  /** Whether row numbers of records in the index are those of the catalog. */
  readonly isSameBuild: boolean
  /** What hits meet besides, on a row `f` of `indexed`. */
  readonly restriction?: SqlQuery
  /** Reads all records in the order of their updates. */
  readonly walksUpdates?: true
}

/** The same hits, read in the order of their updates: for a page of a condition that most records meet. */
export function inOrderOfUpdates({ condition: { match, rest }, ...source }: HitSource): HitSource {
  const isHit: SqlQuery =
    match === undefined
      ? plain('1')
      : { sql: 'EXISTS (SELECT 1 FROM words WHERE words MATCH ? AND rowid = f.rev)', values: [match] }
  return {
    ...source,
    condition: { match: undefined, rest: joined([rest, isHit], 'AND', '1') },
    walksUpdates: true,
  }
}

/** Rows of revisions, both included. */
export interface RevRange {
  readonly least?: number
  readonly most?: number
}

/**
 * SQL that selects from the hits. Its rows are `f` of `indexed` and `n` of the catalog's `newest`: who sees a record
 * is the catalog's to say, and a record that is gone has no such row.
 * @param tail follows the conditions, such as ` ORDER BY …`
 */
export function hitsSql(
  selected: string,
  { condition, kinds, visibility, isSameBuild, restriction, walksUpdates }: HitSource,
  { least, most }: RevRange = {},
  more: readonly SqlQuery[] = [],
  tail: SqlQuery = plain(''),
): SqlQuery {
  const { match, rest } = condition
  const rev = match === undefined ? 'f.rev' : 'words.rowid'
  const rows = walksUpdates ? 'indexed f INDEXED BY indexed_by_update' : 'indexed f'
  const source = match === undefined ? rows : 'words CROSS JOIN indexed f ON f.rev = words.rowid'
  const newest = isSameBuild ? 'n.rid = f.rid' : 'n.kind = f.kind AND n.id = f.id'
  const seen = visibleSql(visibility, 'n', 'n.audience')
  const bound = (sign: string, value: number | undefined): SqlQuery[] =>
    value === undefined ? [] : [{ sql: `${rev} ${sign} ?`, values: [value] }]
  const conditions = [
    ...(match === undefined ? [] : [{ sql: 'words MATCH ?', values: [match] as SqlRow }]),
    ...bound('>=', least),
    ...bound('<=', most),
    isOneOf('f.kind', kinds),
    ...(rest.sql === '1' ? [] : [rest]),
    ...more,
    ...(restriction ? [restriction] : []),
    ...(seen ? [seen] : []),
  ]
  const where = conditions.map(({ sql }) => sql).join(' AND ')
  return {
    sql: `SELECT ${selected} FROM ${source} CROSS JOIN newest n ON ${newest} WHERE ${where}${tail.sql}`,
    values: [...conditions.flatMap(({ values }) => values), ...tail.values],
  }
}

/** The order by newest first, for which the index needs not be sorted. */
export function newestFirst({ condition }: HitSource): string {
  return condition.match === undefined ? 'f.rev DESC' : 'words.rowid DESC'
}

/** A column of an order. Rows are compared by the columns one after the other. */
export interface OrderColumn {
  readonly sql: string
  readonly values: SqlRow
  readonly isDescending: boolean
}

/** SQL of the hits after a place in an order. */
export function afterSql(columns: readonly OrderColumn[], place: SqlRow): SqlQuery {
  const ways = columns.map((column, at): SqlQuery => {
    const before = columns.slice(0, at)
    return {
      sql: `(${[...before.map(({ sql }) => `${sql} = ?`), `${column.sql} ${column.isDescending ? '<' : '>'} ?`].join(' AND ')})`,
      values: [
        ...before.flatMap(({ values }, index) => [...values, place[index] ?? null]),
        ...column.values,
        place[at] ?? null,
      ],
    }
  })
  const [first] = columns
  if (!first) return plain('1')
  // The bound of the first column lets an index begin at the place.
  return {
    sql: `(${first.sql} ${first.isDescending ? '<=' : '>='} ? AND ${joined(ways, 'OR', '0').sql})`,
    values: [...first.values, place[0] ?? null, ...joined(ways, 'OR', '0').values],
  }
}

export function orderBySql(columns: readonly OrderColumn[]): SqlQuery {
  return {
    sql: ` ORDER BY ${columns.map(({ sql, isDescending }) => `${sql}${isDescending ? ' DESC' : ''}`).join(', ')}`,
    values: columns.flatMap(({ values }) => values),
  }
}
