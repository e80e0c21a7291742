import type { SqlRow } from '../../catalog/database/sqlite-connection.js'
import { type SqlQuery, visibleSql } from '../../catalog/lists/list-sql.js'
import type { Collection } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { CompiledCondition } from './conditions/compile-condition.js'
import { type HitSet, rowColumn, rowsSql, type ScoredMatch } from './conditions/row-sets.js'
import { isOneOf, joined, plain } from './conditions/search-sql.js'

/** The lower the number is, the better is the hit. The weights are those of the title, the record and the document. */
export function scoreSql({ table }: ScoredMatch): string {
  return table === 'words' ? 'bm25(words, 8.0, 3.0, 1.0)' : 'bm25(leaf)'
}

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
  /** Reads the hits that have been gathered. @see gatherHits */
  readonly isGathered?: true
  /** Every row that the words match is a hit: scores are read from the words alone. */
  readonly isWholeMatch?: boolean | undefined
}

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
    walksUpdates: true,
  }
}

/** The same hits without scores. Does not read the words of a condition that other tables tell as a whole. */
export function withoutScores(source: HitSource): HitSource {
  const { condition, isGathered } = source
  if (!isGathered && (!condition.isWhole || condition.sets.length === 0)) return source
  return { ...source, condition: { ...condition, match: undefined } }
}

/** The same hits for a page by their rows. The words have this order, so that a short page reads few of them. */
export function inRowOrder(source: HitSource): HitSource {
  return source.isGathered ? withoutScores(source) : source
}

/** Rows of revisions, both included. */
export interface RevRange {
  readonly least?: number
  readonly most?: number
}

function inRange(column: string, { least, most }: RevRange): SqlQuery {
  const bounds = [
    ...(least === undefined ? [] : [{ sql: `${column} >= ?`, values: [least] }]),
    ...(most === undefined ? [] : [{ sql: `${column} <= ?`, values: [most] }]),
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
  const { tables, conditions } = source.isGathered ? gathered(source) : joinedToCatalog(source, range)
  const all = [...words, inRange(rev, range), ...conditions, ...more].filter(({ sql }) => sql !== '1')
  const where = all.length > 0 ? ` WHERE ${all.map(({ sql }) => sql).join(' AND ')}` : ''
  return {
    sql: `SELECT ${selected} FROM ${tables}${where}${tail.sql}`,
    values: [...all.flatMap(({ values }) => values), ...tail.values],
  }
}

/** The hits of the last {@link gatherHits}. */
export const gatheredHits = 'temp.hit f'

function gathered({ condition: { match }, isWholeMatch }: HitSource) {
  if (match === undefined) return { tables: gatheredHits, conditions: [] }
  const { table } = match
  const tables = isWholeMatch ? table : `${table} CROSS JOIN ${gatheredHits} ON f.rev = ${table}.rowid`
  return { tables, conditions: [] }
}

function joinedToCatalog(source: HitSource, range: RevRange) {
  const { condition, kinds, visibility, isSameBuild, restriction, walksUpdates } = source
  const { match, sets, rest } = condition
  const rows = walksUpdates ? 'indexed f INDEXED BY indexed_by_update' : 'indexed f'
  const found =
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
  return { tables: `${found} CROSS JOIN newest n ON ${newest}`, conditions }
}

/** The column with the row of the newest revision of a hit. */
export function newestRev({ isGathered }: HitSource): string {
  return isGathered ? 'f.newest' : 'n.rev'
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
