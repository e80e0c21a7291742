import type { SqlValue } from '../../../catalog/database/sqlite-connection.js'
import {
  everything,
  type ListSource,
  type SqlQuery,
  visibleSql,
  withConditions,
} from '../../../catalog/lists/list-sql.js'
import type { HarvestQuery } from './harvest-query.js'
import { inStoredSet } from './membership-sql.js'

/* What a list for harvesters reports about records that have left it. */

/**
 * The last loss of each record that was in the list earlier and is not in it at the point.
 * @param upTo number of the last revision up to the point
 */
export function deletedSource(query: HarvestQuery, past: number | undefined, upTo: number): ListSource {
  const { table, reportedLoss } = lossesOf(query)
  const parts = [
    ...reportedLoss('n'),
    { sql: 'n.rev <= ?', values: [upTo] },
    ...rangeSql(query),
    absent(`${table} l`, [
      { sql: 'l.rid = n.rid AND l.rev > n.rev AND l.rev <= ?', values: [upTo] },
      ...reportedLoss('l'),
    ]),
    absent('newest t', [
      { sql: 't.rid = n.rid AND t.rev <= ?', values: [upTo] },
      ...listedState(query, 't', upTo),
      visibleNow(query),
    ]),
    ...(past === undefined
      ? []
      : [
          absent('past p CROSS JOIN newest t ON t.rid = p.rid', [
            { sql: 'p.upto = ? AND p.rid = n.rid AND p.kind IS NOT NULL AND t.rev > p.upto', values: [past] },
            ...listedState(query, 'p', past),
            visibleNow(query),
          ]),
        ]),
  ]
  return withConditions({ from: `${table} n`, where: [], values: [] }, ...parts)
}

/**
 * The losses, after the point of the list, of records that were in the list then, at the place that they had in it. A
 * record that the caller had also lost before the point is left out.
 * @param past number of the last revision up to the point
 */
export function lostSinceSource(query: HarvestQuery, past: number): ListSource {
  const { table, reportedLoss } = lossesOf(query)
  const parts = [
    ...reportedLoss('n'),
    ...rangeSql(query),
    absent(`${table} l`, [
      { sql: 'l.rid = n.rid AND (l.rev > n.rev OR l.rev <= ?)', values: [past] },
      ...reportedLoss('l'),
    ]),
    absent('newest t', [{ sql: 't.rid = n.rid', values: [] }, visibleNow(query)]),
  ]
  const state = listedState(query, 'p', past)
  const isOfSet = query.storedSets?.only !== undefined
  // Since the point, few records were lost and many changed: begin with the losses. For a stored set, no index finds
  // the losses after a revision: begin with the changed records.
  const from = isOfSet
    ? 'past p CROSS JOIN departure w ON w.rid = p.rid'
    : 'withdrawn w CROSS JOIN past p ON p.rid = w.rid'
  const lost = `(SELECT p.rid, w.rev, p.id, p.age, w.schema, w.type, w.audience${isOfSet ? ', w.number' : ''}
      FROM ${from}
      WHERE p.upto = ? AND p.kind = 'metadata' AND w.rev > ? AND ${state.map(({ sql }) => sql).join(' AND ')}) n`
  const values = [past, past, ...state.flatMap(part => part.values)]
  return withConditions({ from: lost, where: [], values }, ...parts)
}

/** The condition that the list reports a loss of the record `n` up to a point, whose last revision is `past`. */
export function lostBeforeSql(query: HarvestQuery, past: number): SqlQuery {
  const { table, reportedLoss } = lossesOf(query)
  return exists(`${table} l`, [{ sql: 'l.rid = n.rid AND l.rev <= ?', values: [past] }, ...reportedLoss('l')])
}

/**
 * The purged records. A purged record is left out if the list has another record, or the loss of one, with the same id.
 * @param purged becomes a bound value, not a part of the SQL text
 */
export function purgedSource(
  query: HarvestQuery,
  purged: NonNullable<HarvestQuery['purged']>,
  upTo: number,
): ListSource {
  const { table, reportedLoss } = lossesOf(query)
  const parts = [
    ...rangeSql(query),
    absent(`${table} w`, [{ sql: 'w.id = n.id', values: [] }, ...reportedLoss('w')]),
    absent('newest t', [
      { sql: "t.kind = 'metadata' AND t.id = n.id", values: [] },
      ...listedState(query, 't', upTo),
      visibleNow(query),
    ]),
  ]
  const from = `(SELECT 0 AS rid, 0 AS rev, json_extract(value, '$.id') AS id, -json_extract(value, '$.time') AS age,
      '' AS schema, '' AS type FROM json_each(?)) n`
  return withConditions({ from, where: [], values: [JSON.stringify(purged)] }, ...parts)
}

/** The table of the losses of a list, and the conditions that the list reports the loss in a row of the table. */
function lossesOf(query: HarvestQuery): {
  table: string
  reportedLoss: (row: string) => readonly SqlQuery[]
} {
  const only = query.storedSets?.only
  const ofSet = (row: string) =>
    only === undefined ? everything : { sql: `${row}.number = ?`, values: [only] }
  return {
    table: only === undefined ? 'withdrawn' : 'departure',
    reportedLoss: row => [memberSql(query, row), ofSet(row), reportedLossSql(query, row)],
  }
}

/**
 * The conditions that the revision in the row has a schema and a document type of the list, and that the record was in its
 * set at a point.
 */
function listedState(query: HarvestQuery, row: string, upTo: number): readonly SqlQuery[] {
  const only = query.storedSets?.only
  return [memberSql(query, row), only === undefined ? everything : inStoredSet(only, row, upTo)]
}

/** The condition that the caller sees the record in the row of `newest`. */
export function visibleNow(query: HarvestQuery, row = 't'): SqlQuery {
  return visibleSql(query, row, `${row}.audience`)
}

/** The filters by id and time. */
function rangeSql({ id, from, until }: HarvestQuery): readonly SqlQuery[] {
  return [
    ...(id === undefined ? [] : [{ sql: 'n.id = ?', values: [id] }]),
    ...(from === undefined ? [] : [{ sql: 'n.age <= ?', values: [-from] }]),
    ...(until === undefined ? [] : [{ sql: 'n.age >= ?', values: [-until] }]),
  ]
}

function absent(from: string, conditions: readonly SqlQuery[]): SqlQuery {
  const { sql, values } = exists(from, conditions)
  return { sql: `NOT ${sql}`, values }
}

function exists(from: string, conditions: readonly SqlQuery[]): SqlQuery {
  return {
    sql: `EXISTS (SELECT 1 FROM ${from} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')})`,
    values: conditions.flatMap(({ values }) => values),
  }
}

/** The condition that the row has a schema and a document type of the list. */
function memberSql({ schemaIds, documentTypes }: HarvestQuery, row: string): SqlQuery {
  const conditions: string[] = []
  const values: SqlValue[] = []
  const add = (column: string, among: readonly string[] | undefined) => {
    if (!among) return
    conditions.push(`${row}.${column} IN (SELECT value FROM json_each(?))`)
    values.push(JSON.stringify(among))
  }
  add('schema', schemaIds)
  add('type', documentTypes)
  return conditions.length > 0 ? { sql: conditions.join(' AND '), values } : everything
}

/**
 * The condition that the list of the caller reports the loss of a former revision: the caller could read that revision,
 * or sees the record now.
 */
export function reportedLossSql(query: HarvestQuery, row: string): SqlQuery {
  const { readableBy, readsUnrevoked } = query
  if (!readableBy || readsUnrevoked) return everything
  const now = visibleNow(query, 's')
  return {
    sql: `(EXISTS (SELECT 1 FROM member m WHERE m.audience = ${row}.audience
        AND m.sid IN (SELECT value FROM json_each(?)))
      OR EXISTS (SELECT 1 FROM newest s WHERE s.rid = ${row}.rid AND ${now.sql}))`,
    values: [JSON.stringify(readableBy), ...now.values],
  }
}
