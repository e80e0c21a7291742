import type { Collection } from '../../core/records/collection.js'
import { givenFilters, type SqlQuery } from '../../core/records/list-filters.js'
import type { PageWindow } from '../../core/records/list-page.js'
import type { ListQuery, Sort, Visibility } from '../../core/records/list-query.js'
import type { SqlRow } from '../database/sqlite-connection.js'

export type { SqlQuery }

/**
 * The key that orders a list. All columns have the same direction, so that an index can be read forwards or backwards.
 */
export interface KeyOrder {
  readonly columns: readonly ('id' | 'age')[]
  readonly backwards: boolean
}

/** A list without page limits. The SQL text depends on which filters are given, never on their values. */
export interface ListSource {
  readonly from: string
  readonly where: readonly string[]
  readonly values: SqlRow
}

/** How SQLite finds the entries of a list. */
export interface AccessPath {
  /** Whether the caller sees only a small part of all records. */
  readonly seesLittle?: boolean
  /** Start from the records that the caller sees, because they are fewer than those that pass the filters. */
  readonly gathersSeen?: boolean
  /** Read all metadata in the order of their ids, because many of them follow the requested schema. */
  readonly walksIds?: boolean
  /** Many entries are counted or skipped: read the audiences of the caller once, instead of asking for each entry. */
  readonly readsMany?: boolean
}

export function orderOf(kind: Collection, sort?: Sort): KeyOrder {
  const { by, direction } = sort ?? defaultSort[kind]
  return by === 'id'
    ? { columns: ['id'], backwards: direction === 'desc' }
    : { columns: ['age', 'id'], backwards: direction === 'asc' }
}

/** The order of a list whose query names none. @see docs/contract.md#order-of-lists */
export const defaultSort: Readonly<Record<Collection, Sort>> = {
  schema: { by: 'id', direction: 'asc' },
  metadata: { by: 'lastUpdate', direction: 'desc' },
}

/** The list of the newest revisions. */
export function currentList(kind: Collection, query: ListQuery, access: AccessPath): ListSource {
  if (access.gathersSeen) return gathered(seenRecordsSql(query), conditionsOf(kind, query, access))
  const few = fewRecords(query)
  if (few) return gathered(few.records, conditionsOf(kind, few.others, access))
  const from = access.walksIds ? 'newest n INDEXED BY newest_by_id' : 'newest n'
  return { from, ...conditionsOf(kind, query, access) }
}

/** The few records from which a list begins, and the other filters of its query; undefined if it begins from all. */
export function fewRecords(
  query: ListQuery,
): { readonly records: SqlQuery; readonly others: ListQuery } | undefined {
  for (const { name, filter, value } of givenFilters(query))
    if (filter.records) return { records: filter.records(value), others: { ...query, [name]: undefined } }
  return undefined
}

/** A list that starts from the records `wanted`, which are few and are sorted. */
function gathered(wanted: SqlQuery, { where, values }: Conditions): ListSource {
  return {
    from: `(${wanted.sql}) q CROSS JOIN newest n ON n.rid = q.rid`,
    where,
    values: [...wanted.values, ...values],
  }
}

/** SQL of the audiences that have one of the given subjects (a JSON array) as a member. */
export const audiencesSql = 'SELECT audience FROM member WHERE sid IN (SELECT value FROM json_each(?))'

/** @returns SQL that selects `rid` of the visible records of both kinds, for a caller without `readsUnrevoked` */
function seenRecordsSql({ readableBy, readableIds }: Visibility): SqlQuery {
  const named = `UNION SELECT rid FROM newest
    WHERE kind IN ('schema', 'metadata') AND id IN (SELECT value FROM json_each(?))`
  return {
    sql: `SELECT rid FROM newest WHERE audience IN (${audiencesSql}) ${readableIds ? named : ''}`,
    values: [JSON.stringify(readableBy), ...(readableIds ? [JSON.stringify(readableIds)] : [])],
  }
}

/** The entries of a list that satisfy all conditions. */
export function withConditions(
  { from, where, values }: ListSource,
  ...conditions: readonly SqlQuery[]
): ListSource {
  return {
    from,
    where: [...where, ...conditions.map(({ sql }) => sql)],
    values: [...values, ...conditions.flatMap(condition => condition.values)],
  }
}

/** The entries of the current list that are REVOKED. */
export function revokedList(kind: Collection, query: ListQuery): ListSource {
  return { from: 'revoked d CROSS JOIN newest n ON n.rid = d.rid', ...conditionsOf(kind, query, {}) }
}

/** The entries of the current list that have not changed since the revision `upTo`. */
export function unchangedSince(upTo: number, list: ListSource): ListSource {
  return withConditions(list, { sql: 'n.rev <= ?', values: [upTo] })
}

/** The entries of the current list that have changed since the revision `upTo`. */
export function changedSince(upTo: number, kind: Collection, query: ListQuery): ListSource {
  const { where, values } = conditionsOf(kind, query, {})
  return {
    from: 'past p CROSS JOIN newest n ON n.rid = p.rid',
    where: ['p.upto = ?', 'n.rev > p.upto', ...where],
    values: [upTo, ...values],
  }
}

/** Records that changed after the revision `upTo`, as they were right after it. @see openPointInTimeTables */
export function pastList(upTo: number, kind: Collection, query: ListQuery): ListSource {
  const { where, values } = conditionsOf(kind, query, {}, 'past')
  return {
    from: 'past n CROSS JOIN newest t ON t.rid = n.rid',
    where: ['n.upto = ?', 't.rev > n.upto', ...where],
    values: [upTo, ...values],
  }
}

interface Conditions {
  readonly where: readonly string[]
  readonly values: SqlRow
}

/**
 * The filters on a row `n` of `newest`, or of `past` with its newest state `t`.
 * @see ListFilter.sql
 */
function conditionsOf(
  kind: Collection,
  query: ListQuery,
  { readsMany }: AccessPath,
  row: 'newest' | 'past' = 'newest',
): Conditions {
  const audience = row === 'newest' ? 'n.audience' : 't.audience'
  const conditions = [
    { sql: 'n.kind = ?', values: [kind] },
    ...givenFilters(query).map(({ filter, value }) => filter.sql(value, query, row)),
    ...(query.readableBy ? [visibleSql(query, 'n', audience, readsMany)] : []),
  ]
  return { where: conditions.map(({ sql }) => sql), values: conditions.flatMap(({ values }) => values) }
}

/** The condition that is always true. */
export const everything: SqlQuery = { sql: '1', values: [] }

/**
 * The condition that the caller sees a record; {@link everything} if the caller sees all records.
 * @param row name of the table with the columns `rid` and `id`
 * @param audience SQL of the record's audience; default: a look-up by `rid`
 * @param readsMany as in {@link AccessPath}
 */
export function visibleSql(
  { readableBy, readableIds, readsUnrevoked }: Visibility,
  row: string,
  audience = `(SELECT v.audience FROM newest v WHERE v.rid = ${row}.rid)`,
  readsMany = false,
): SqlQuery {
  if (!readableBy) return everything
  const ways = [
    readsMany
      ? `${audience} IN (${audiencesSql})`
      : `EXISTS (SELECT 1 FROM member m WHERE m.audience = ${audience} AND m.sid IN (SELECT value FROM json_each(?)))`,
    ...(readableIds ? [`${row}.id IN (SELECT value FROM json_each(?))`] : []),
    ...(readsUnrevoked ? [`NOT EXISTS (SELECT 1 FROM revoked v WHERE v.rid = ${row}.rid)`] : []),
  ]
  return {
    sql: ways.length === 1 ? (ways[0] as string) : `(${ways.join(' OR ')})`,
    values: [JSON.stringify(readableBy), ...(readableIds ? [JSON.stringify(readableIds)] : [])],
  }
}

/** Selects the last commit, up to a revision, that changed a record of either kind that the caller may see. */
export function lastVisibleCommitSql(
  upTo: number,
  visibility: Visibility,
  { seesLittle }: AccessPath,
): SqlQuery {
  if (seesLittle) {
    const seen = seenRecordsSql(visibility)
    return {
      sql: `SELECT r.oid FROM (${seen.sql}) a CROSS JOIN revision r ON r.rid = a.rid
            WHERE r.rev <= ? ORDER BY r.rev DESC LIMIT 1`,
      values: [...seen.values, upTo],
    }
  }
  const { sql, values } = visibleSql(visibility, 'c')
  return {
    sql: `SELECT r.oid FROM revision r CROSS JOIN record c ON c.rid = r.rid WHERE r.rev <= ? AND ${sql}
          ORDER BY r.rev DESC LIMIT 1`,
    values: [upTo, ...values],
  }
}

export function totalSql(shape: ListSource): SqlQuery {
  return {
    sql: `SELECT count(*) FROM ${shape.from} WHERE ${shape.where.join(' AND ')}`,
    values: shape.values,
  }
}

/** Counts the entries of a list up to the key, including it. */
export function rankSql(shape: ListSource, order: KeyOrder, key: SqlRow): SqlQuery {
  return totalSql(within(shape, order, order.backwards ? '>=' : '<=', key))
}

/**
 * Selects the entries of a page: the columns `rev`, `id` and `age`.
 * @param shapes disjoint parts of the list
 * @param after the key after which the page begins; default: `window.offset` entries are skipped
 */
export function pageSql(
  shapes: readonly ListSource[],
  order: KeyOrder,
  window: PageWindow,
  after?: SqlRow,
): SqlQuery {
  const parts = shapes.map(shape =>
    after ? within(shape, order, order.backwards ? '<' : '>', after) : shape,
  )
  const selects = parts.map(
    ({ from, where }) => `SELECT n.rev, n.id, n.age FROM ${from} WHERE ${where.join(' AND ')}`,
  )
  // The columns of a union have no table name.
  const column = (name: string) => (shapes.length > 1 ? name : `n.${name}`)
  const keys = order.columns.map(name => `${column(name)}${order.backwards ? ' DESC' : ''}`)
  return {
    sql: `${selects.join(' UNION ALL ')} ORDER BY ${keys.join(', ')} LIMIT ? OFFSET ?`,
    values: [...parts.flatMap(({ values }) => values), window.limit, after ? 0 : window.offset],
  }
}

/** The entries on one side of the key. */
export function within(
  list: ListSource,
  { columns }: KeyOrder,
  side: '<' | '<=' | '>' | '>=',
  key: SqlRow,
): ListSource {
  const names = columns.map(name => `n.${name}`)
  const sql =
    names.length === 1
      ? `${names[0]} ${side} ?`
      : `(${names.join(', ')}) ${side} (${names.map(() => '?').join(', ')})`
  return withConditions(list, { sql, values: key })
}
