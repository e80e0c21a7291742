import type { SqlRow } from '../../catalog/database/sqlite-connection.js'
import { type SqlQuery, visibleSql } from '../../catalog/lists/list-sql.js'
import type { Collection } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { CompiledCondition } from './conditions/compile-condition.js'
import { type HitSet, rowColumn, rowsSql } from './conditions/row-sets.js'
import { isOneOf, joined, plain } from './conditions/search-sql.js'

/** Describes the hits of a condition that a caller sees. */
export interface HitSource {
  readonly condition: CompiledCondition
  readonly kinds: readonly Collection[]
  readonly visibility: Visibility
  /** Whether row numbers of records in the index are those of the catalog. */
  readonly isSameBuild: boolean
  /** A further condition of hits, on a row `f` of `indexed`. */
  readonly restriction?: SqlQuery
  readonly from: HitOrigin
}

/** Where hits are read. */
export type HitOrigin =
  /** The index, joined to the catalog. */
  | 'index'
  /** The index in the order of updates, joined to the catalog. */
  | 'updates'
  /** The table of the hits that have been gathered. @see gatherHits */
  | 'gathered'
  /** The full-text table alone, for scores: every row that the words match is a hit. */
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

/** The same hits without scores. If other tables find all hits of the condition, its words are not read. */
export function withoutScores(source: HitSource): HitSource {
  const { condition, from } = source
  if (from !== 'gathered' && (!condition.isWhole || condition.sets.length === 0)) return source
  return { ...source, condition: { ...condition, match: undefined } }
}

/** The same hits in the order of rows. FTS5 reads words in this order, so that a short page reads few rows. */
export function inRowOrder(source: HitSource): HitSource {
  if (source.from === 'match') return { ...source, from: 'index' }
  return source.from === 'gathered' ? withoutScores(source) : source
}

/** A range of rows of revisions, both ends included. */
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
 * SQL that selects from the hits. A hit is a row `f` of `indexed` and, unless hits were gathered, a row `n` of the
 * catalog's table `newest`: only the catalog knows who sees a record, and a record that is gone has no row there.
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

/** The table of the hits that {@link gatherHits} has gathered last. */
export const gatheredHits = 'temp.hit f'

interface HitTables {
  /** SQL that follows `FROM`. */
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
  // The `+` lets SQLite look up matching rows in the set before it reads their rows of the index.
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

/** SQL of the order newest first, in which the index is stored: it needs no sorting. */
export function newestFirst({ condition }: HitSource): string {
  return condition.match === undefined ? 'f.rev DESC' : `${condition.match.table}.rowid DESC`
}

/** A column of an order. Rows are compared by the columns one after the other. */
export interface OrderColumn {
  readonly sql: string
  readonly values: SqlRow
  readonly isDescending: boolean
}

/** The SQL condition of the hits after a place in an order. */
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
  // The bound of the first column lets SQLite begin at the place in an index of this column.
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
