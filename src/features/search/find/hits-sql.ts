import type { SqlRow } from '../../../catalog/database/sqlite-connection.js'
import { type SqlQuery, visibleSql } from '../../../catalog/lists/list-sql.js'
import { malformedRequest } from '../../../core/problem.js'
import type { Collection } from '../../../core/records/collection.js'
import type { Visibility } from '../../../core/records/list-query.js'
import { foldedSql } from '../index/search-tables.js'
import type { SortKey } from '../search-engine.js'
import { isOldestFirst, sharedFields, valueFields } from '../values/record-values.js'
import { fieldWithoutOrder } from '../values/undeclared-field.js'
import type { FieldLookup } from './compile-condition.js'
import { type CompiledCondition, joined, plain } from './compile-condition.js'

/** Describes the hits of a condition that a caller sees. */
export interface HitSource {
  readonly condition: CompiledCondition
  readonly kinds: readonly Collection[]
  readonly visibility: Visibility
  /** Whether row numbers of records in the index are those of the catalog. */
  readonly isSameBuild: boolean
  /** A further condition of hits, on a row `f` of `indexed`. */
  readonly restriction?: SqlQuery
}

/** Parts of a query for hits. */
interface HitQuery {
  /** The range of rows of revisions, both ends included. */
  readonly min?: number | undefined
  readonly max?: number | undefined
  /** Further conditions. */
  readonly more?: readonly SqlQuery[]
  /** Follows the conditions, such as ` ORDER BY …`. */
  readonly tail?: SqlQuery
}

/**
 * SQL that selects from the hits. A hit is a row `f` of `indexed` and a row `n` of the catalog's table `newest`: only
 * the catalog knows who sees a record, and a record that is gone has no row there.
 */
export function hitsSql(
  selected: string,
  source: HitSource,
  { min, max, more = [], tail = plain('') }: HitQuery = {},
): SqlQuery {
  const { match, rest } = source.condition
  const row = rowOf(source)
  const rows = match === undefined ? 'indexed f' : 'words CROSS JOIN indexed f ON f.rev = words.rowid'
  const all = [
    ...(match === undefined ? [] : [{ sql: 'words MATCH ?', values: [match] }]),
    ...(min === undefined ? [] : [{ sql: `${row} >= ?`, values: [min] }]),
    ...(max === undefined ? [] : [{ sql: `${row} <= ?`, values: [max] }]),
    rest,
    ...more,
  ]
  return selectFrom(selected, rows, source, all, tail)
}

/**
 * As {@link hitsSql}, but reads an index of `indexed` in its order and looks each row up in the condition: for a page of
 * very many hits.
 */
export function walkedHitsSql(
  selected: string,
  index: string,
  source: HitSource,
  { more = [], tail = plain('') }: Pick<HitQuery, 'more' | 'tail'>,
): SqlQuery {
  const { match, rest } = source.condition
  const words = 'EXISTS (SELECT 1 FROM words WHERE words MATCH ? AND rowid = f.rev)'
  const all = [...more, rest, ...(match === undefined ? [] : [{ sql: words, values: [match] }])]
  return selectFrom(selected, `indexed f INDEXED BY ${index}`, source, all, tail)
}

function selectFrom(
  selected: string,
  rows: string,
  { kinds, visibility, isSameBuild, restriction }: HitSource,
  conditions: readonly SqlQuery[],
  tail: SqlQuery,
): SqlQuery {
  const newest = isSameBuild ? 'n.rid = f.rid' : 'n.kind = f.kind AND n.id = f.id'
  const all = [
    ...conditions,
    ...(kinds.length > 1 ? [] : [{ sql: 'f.kind = ?', values: [kinds[0] ?? ''] }]),
    ...(restriction ? [restriction] : []),
    visibleSql(visibility, 'n', 'n.audience'),
  ].filter(({ sql }) => sql !== '1')
  const where = all.length > 0 ? ` WHERE ${all.map(({ sql }) => sql).join(' AND ')}` : ''
  return {
    sql: `SELECT ${selected} FROM ${rows} CROSS JOIN newest n ON ${newest}${where}${tail.sql}`,
    values: [...all.flatMap(({ values }) => values), ...tail.values],
  }
}

/** SQL of the row number of a hit. Rows are read in their order without sorting. */
function rowOf({ condition }: HitSource): string {
  return condition.match === undefined ? 'f.rev' : 'words.rowid'
}

/** SQL of the order newest first, in which index and words are stored: the first hits are found without the others. */
export function newestFirst(source: HitSource): string {
  return ` ORDER BY ${rowOf(source)} DESC`
}

/** SQL of the score of a hit: the lower, the better. A word counts more in the title, and whole values do not count. */
export const scoreSql = 'bm25(words, 8.0, 3.0, 3.0, 1.0, 1.0, 0.0)'

/** A column of an order. Rows are compared by the columns one after the other. */
export interface OrderColumn {
  readonly sql: string
  readonly values: SqlRow
  readonly isDescending: boolean
}

/** The order of a search. */
export type HitOrder =
  /** By score, then newest first. */
  | { readonly by: 'score' }
  | { readonly by: 'newest' }
  | {
      readonly by: 'columns'
      readonly columns: readonly OrderColumn[]
      /** The position of the column with the score, if there is one. */
      readonly scoreAt?: number
    }

/** Limit of the keys of an order. */
const maxKeys = 8
/** Limit of the keys whose values are looked up for each hit. */
const maxValueKeys = 3
/** Keys with a column of `indexed` that is never empty. */
const fullColumns = ['id', 'kind', 'created', 'updated', ...sharedFields]

/**
 * The order of the hits that the keys ask for.
 * @param isScored whether hits have scores
 * @throws ProblemError `malformed-request` for a field without an order
 */
export function hitOrder(keys: readonly SortKey[], isScored: boolean, fields: FieldLookup): HitOrder {
  if (keys.length > maxKeys) throw malformedRequest(`At most ${maxKeys} fields can order the hits.`)
  const manyValued = keys.filter(
    ({ field }) => !fullColumns.includes(field) && (valueFields.has(field) || fields.declared(field)),
  )
  if (manyValued.length > maxValueKeys) {
    throw malformedRequest(
      `At most ${maxValueKeys} fields that may have several values, or are paths into documents, can order the hits.`,
    )
  }
  // Without words all hits have the same score.
  const known = isScored ? keys : keys.filter(({ field }) => field !== 'score')
  const [first] = known
  if (!first) return { by: 'newest' }
  if (known.length === 1 && first.field === 'score' && first.order === 'desc') return { by: 'score' }
  const columns = known.flatMap(({ field, order }) =>
    // The best hit has the lowest score of FTS5.
    field === 'score'
      ? [{ sql: scoreSql, values: [], isDescending: order === 'asc' }]
      : columnsOf({ field: field === 'lastUpdate' ? 'updated' : field, order }, fields),
  )
  const scoreAt = columns.findIndex(({ sql }) => sql === scoreSql)
  return {
    by: 'columns',
    columns: [...columns, { sql: 'f.rev', values: [], isDescending: !isOldestFirst(first) }],
    ...(scoreAt >= 0 && { scoreAt }),
  }
}

/** Records without a value are last, whatever the direction. */
function columnsOf({ field, order }: SortKey, fields: FieldLookup): readonly OrderColumn[] {
  const isDescending = order === 'desc'
  if (fullColumns.includes(field)) return [{ sql: `f.${field}`, values: [], isDescending }]
  const { sql, values, empty } = orderedValue(field, isDescending ? 'max' : 'min', fields)
  return [
    { sql: `(${sql} IS NULL)`, values, isDescending: false },
    { sql: `coalesce(${sql}, ${empty})`, values, isDescending },
  ]
}

/** SQL of the value of a field that orders a hit. `empty`: SQL of a value of the same type. */
function orderedValue(
  field: string,
  pick: 'min' | 'max',
  fields: FieldLookup,
): SqlQuery & { readonly empty: string } {
  if (field === 'year') return { ...plain('f.year'), empty: '0' }
  const number = fields.valueField(field)
  if (number === undefined) throw fieldWithoutOrder(field)
  const as = fields.declared(field)?.as ?? 'keyword'
  if (as !== 'keyword')
    return {
      sql: `(SELECT ${pick}(v.num) FROM number v WHERE v.field = ? AND v.rev = f.rev)`,
      values: [number],
      empty: '0',
    }
  return {
    sql: `(SELECT ${pick}(${foldedSql('v.')}) FROM json_each(f.facets, ?) j CROSS JOIN value v ON v.value = j.value)`,
    values: [`$."${number}"`],
    empty: "''",
  }
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
  if (columns.every(({ isDescending }) => isDescending === first.isDescending)) {
    // SQLite begins at the place in an index of these columns, however many rows have the same first value.
    return {
      sql: `(${columns.map(({ sql }) => sql).join(', ')}) ${first.isDescending ? '<' : '>'} (${columns.map(() => '?').join(', ')})`,
      values: [...columns.flatMap(({ values }) => values), ...columns.map((_, at) => place[at] ?? null)],
    }
  }
  const any = joined(ways, 'OR', '0')
  // The bound of the first column lets SQLite begin at the place in an index of this column.
  return {
    sql: `(${first.sql} ${first.isDescending ? '<=' : '>='} ? AND ${any.sql})`,
    values: [...first.values, place[0] ?? null, ...any.values],
  }
}

export function orderBySql(columns: readonly OrderColumn[]): SqlQuery {
  return {
    sql: ` ORDER BY ${columns.map(({ sql, isDescending }) => `${sql}${isDescending ? ' DESC' : ''}`).join(', ')}`,
    values: columns.flatMap(({ values }) => values),
  }
}
