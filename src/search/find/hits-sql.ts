import type { SqlRow } from '../../catalog/database/sqlite-connection.js'
import { type SqlQuery, visibleSql } from '../../catalog/lists/list-sql.js'
import type { Collection } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { CompiledCondition } from './conditions/compile-condition.js'
import { type HitSet, rowColumn, rowsSql } from './conditions/row-sets.js'
import { isOneOf, joined, plain } from './conditions/search-sql.js'

/** Hits that a caller sees. */
export interface HitSource {
  readonly condition: CompiledCondition
  readonly kinds: readonly Collection[]
  readonly visibility: Visibility
  /** Whether row numbers of records in the index are those of the catalog. */
  readonly isSameBuild: boolean
  /** What hits meet besides, on a row `f` of `indexed`. */
  readonly restriction?: SqlQuery
  readonly from: HitOrigin
}

/** Where hits are read. */
export type HitOrigin =
  /** The index, joined to the catalog. */
  | 'index'
  /** The index in the order of the updates, joined to the catalog. */
  | 'updates'
  /** The hits that have been gathered. @see gatherHits */
  | 'gathered'
  /** The table of the words alone, for their scores: every row that the words match is a hit. */
  | 'match'

/** The same hits, read in the order of their updates: for a page of a condition that most records meet. */
export function inOrderOfUpdates({ condition, ...source }: HitSource): HitSource {
  const { match, sets, rest } = condition
  const isHit: SqlQuery =
    match === undefined
      ? plain('1')
      : {
          sql: `EXISTS (SELECT 1 FROM ${match.table} WHERE ${match.table} MATCH ? AND rowid = f.rev)`,
          values: [match.text],
        }
  const all = joined([...sets.map(set => inSet('f.rev', set, {})), rest, isHit], 'AND', '1')
  return {
    ...source,
    condition: { match: undefined, sets: [], rest: all, isWhole: true },
    from: 'updates',
  }
}

/** The same hits without scores. Does not read the words of a condition that other tables tell as a whole. */
export function withoutScores(source: HitSource): HitSource {
  const { condition, from } = source
  if (from !== 'gathered' && (!condition.isWhole || condition.sets.length === 0)) return source
  return { ...source, condition: { ...condition, match: undefined } }
}

/** The same hits for a page by their rows. The words have this order, so that a short page reads few of them. */
export function inRowOrder(source: HitSource): HitSource {
  if (source.from === 'match') return { ...source, from: 'index' }
  return source.from === 'gathered' ? withoutScores(source) : source
}

/** Rows of revisions, both included. */
export interface RevRange {
  readonly min?: number
  readonly max?: number
}

function inRange(column: string, { min, max }: RevRange): SqlQuery {
  const bounds = [
    ...(min === undefined ? [] : [{ sql: `${column} >= ?`, values: [min] }]),
    ...(max === undefined ? [] : [{ sql: `${column} <= ?`, values: [max] }]),
  ]
  return joined(bounds, 'AND', '1')
}

function inSet(rev: string, set: HitSet, range: RevRange): SqlQuery {
  const { sql, values } = inRange(rowColumn(set.table), range)
  const rows = rowsSql(set, sql === '1' ? undefined : { sql: ` AND ${sql}`, values })
  return { sql: `${rev} IN (${rows.sql})`, values: rows.values }
}

/**
 * SQL that selects from the hits. Its rows are `f` of `indexed` and, unless they are gathered, `n` of the catalog's
 * `newest`: who sees a record is the catalog's to say, and a record that is gone has no such row.
 * @param tail follows the conditions, such as ` ORDER BY …`
 */
export function hitsSql(
  selected: string,
  source: HitSource,
  range: RevRange = {},
  more: readonly SqlQuery[] = [],
  tail: SqlQuery = plain(''),
): SqlQuery {
  const { match } = source.condition
  const words = match === undefined ? [] : [{ sql: `${match.table} MATCH ?`, values: [match.text] }]
  const rev = match === undefined ? 'f.rev' : `${match.table}.rowid`
  const { tables, conditions } = tablesOf(source, range)
  const all = [...words, inRange(rev, range), ...conditions, ...more].filter(({ sql }) => sql !== '1')
  const where = all.length > 0 ? ` WHERE ${all.map(({ sql }) => sql).join(' AND ')}` : ''
  return {
    sql: `SELECT ${selected} FROM ${tables}${where}${tail.sql}`,
    values: [...all.flatMap(({ values }) => values), ...tail.values],
  }
}

/** The hits of the last {@link gatherHits}. */
export const gatheredHits = 'temp.hit f'

interface HitTables {
  /** Follows `FROM`. */
  readonly tables: string
  readonly conditions: readonly SqlQuery[]
}

function tablesOf(source: HitSource, range: RevRange): HitTables {
  switch (source.from) {
    case 'index':
      return joinedToCatalog(source, range, 'indexed f')
    case 'updates':
      return joinedToCatalog(source, range, 'indexed f INDEXED BY indexed_by_update')
    case 'gathered':
      return joinedToGathered(source)
    case 'match':
      return { tables: source.condition.match?.table ?? gatheredHits, conditions: [] }
  }
}

function joinedToGathered({ condition: { match } }: HitSource): HitTables {
  const tables = match
    ? `${match.table} CROSS JOIN ${gatheredHits} ON f.rev = ${match.table}.rowid`
    : gatheredHits
  return { tables, conditions: [] }
}

function joinedToCatalog(source: HitSource, range: RevRange, rows: string): HitTables {
  const { condition, kinds, visibility, isSameBuild, restriction } = source
  const { match, sets, rest } = condition
  const joinedRows =
    match === undefined ? rows : `${match.table} CROSS JOIN indexed f ON f.rev = ${match.table}.rowid`
  const newest = isSameBuild ? 'n.rid = f.rid' : 'n.kind = f.kind AND n.id = f.id'
  const seen = visibleSql(visibility, 'n', 'n.audience')
  // With the sign, SQLite looks matching rows up in the set, before it reads their rows of the index.
  const rev = match === undefined ? 'f.rev' : `+${match.table}.rowid`
  const conditions = [
    ...sets.map(set => inSet(rev, set, range)),
    isOneOf('f.kind', kinds),
    rest,
    ...(restriction ? [restriction] : []),
    ...(seen ? [seen] : []),
  ]
  return { tables: `${joinedRows} CROSS JOIN newest n ON ${newest}`, conditions }
}

/** The column with the row of the newest revision of a hit. */
export function newestRev({ from }: HitSource): string {
  return from === 'gathered' ? 'f.newest' : 'n.rev'
}

/** The order by newest first, for which the index needs not be sorted. */
export function newestFirst({ condition }: HitSource): string {
  return condition.match === undefined ? 'f.rev DESC' : `${condition.match.table}.rowid DESC`
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
