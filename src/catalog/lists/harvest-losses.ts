import type { SqlRow, SqlValue } from '../database/sqlite-connection.js'
import type { HarvestQuery } from './harvest-query.js'
import { type ListSource, type SqlQuery, visibleSql } from './list-sql.js'
import { inStoredSet } from './membership-sql.js'

/* What a list for harvesters reports about records that have left it. */

/**
 * The last loss of each record that was in the list earlier and is not in it at the point.
 * @param upto number of the last revision up to the point
 */
export function deletedSource(query: HarvestQuery, past: number | undefined, upto: number): ListSource {
  const { table, ofSet } = lossesOf(query)
  const parts = [
    memberSql(query, 'n'),
    ofSet('n'),
    reportedLossSql(query, 'n'),
    { sql: 'n.rev <= ?', values: [upto] },
    ...rangeSql(query),
    absent(
      `${table} l`,
      [
        { sql: 'l.rid = n.rid AND l.rev > n.rev AND l.rev <= ?', values: [upto] },
        memberSql(query, 'l'),
        ofSet('l'),
      ],
      reportedLossSql(query, 'l'),
    ),
    absent(
      'newest t',
      [{ sql: 't.rid = n.rid AND t.rev <= ?', values: [upto] }, memberSql(query, 't'), stateSql(query, 't')],
      visibleSql(query, 't', 't.audience'),
    ),
    ...(past === undefined
      ? []
      : [
          absent(
            'past p CROSS JOIN newest t ON t.rid = p.rid',
            [
              {
                sql: 'p.upto = ? AND p.rid = n.rid AND p.kind IS NOT NULL AND t.rev > p.upto',
                values: [past],
              },
              memberSql(query, 'p'),
              stateSql(query, 'p'),
            ],
            visibleSql(query, 't', 't.audience'),
          ),
        ]),
  ]
  return {
    from: `${table} n`,
    where: parts.map(part => part.sql),
    values: parts.flatMap(part => part.values),
  }
}

/**
 * The losses, after the point of the list, of records that were in the list then, at the place that they had in it. A
 * record that the caller had also lost before the point is left out.
 * @param past number of the last revision up to the point
 */
export function lostSinceSource(query: HarvestQuery, past: number): ListSource {
  const { table, ofSet } = lossesOf(query)
  const parts = [
    memberSql(query, 'n'),
    ofSet('n'),
    reportedLossSql(query, 'n'),
    ...rangeSql(query),
    absent(
      `${table} l`,
      [
        { sql: 'l.rid = n.rid AND (l.rev > n.rev OR l.rev <= ?)', values: [past] },
        memberSql(query, 'l'),
        ofSet('l'),
      ],
      reportedLossSql(query, 'l'),
    ),
    absent('newest t', [{ sql: 't.rid = n.rid', values: [] }], visibleSql(query, 't', 't.audience')),
  ]
  const state = [memberSql(query, 'p'), stateSql(query, 'p')]
  const isOfSet = query.storedSets?.only !== undefined
  // Since the point, few records were lost and many changed: begin with the losses. For a stored set, no index finds
  // the losses after a revision: begin with the changed records.
  const from = isOfSet
    ? 'past p CROSS JOIN departure w ON w.rid = p.rid'
    : 'withdrawn w CROSS JOIN past p ON p.rid = w.rid'
  return {
    from: `(SELECT p.rid, w.rev, p.id, p.age, w.schema, w.type, w.audience${isOfSet ? ', w.number' : ''}
      FROM ${from}
      WHERE p.upto = ? AND p.kind = 'metadata' AND w.rev > ? AND ${state.map(({ sql }) => sql).join(' AND ')}) n`,
    where: parts.map(part => part.sql),
    values: [past, past, ...state.flatMap(part => part.values), ...parts.flatMap(part => part.values)],
  }
}

/** The condition that the list reports a loss of the record `n` up to a point, whose last revision is `past`. */
export function lostBeforeSql(query: HarvestQuery, past: number): SqlQuery {
  const { table, ofSet } = lossesOf(query)
  return exists(`${table} l`, [
    { sql: 'l.rid = n.rid AND l.rev <= ?', values: [past] },
    memberSql(query, 'l'),
    ofSet('l'),
    reportedLossSql(query, 'l'),
  ])
}

/**
 * The purged records. A purged record is left out if the list has another record, or the loss of one, with the same id.
 * @param purged becomes a bound value, not a part of the SQL text
 */
export function purgedSource(query: HarvestQuery, purged: NonNullable<HarvestQuery['purged']>): ListSource {
  const { table, ofSet } = lossesOf(query)
  const parts = [
    ...rangeSql(query),
    absent(
      `${table} w`,
      [{ sql: 'w.id = n.id', values: [] }, memberSql(query, 'w'), ofSet('w')],
      reportedLossSql(query, 'w'),
    ),
    absent(
      'newest t',
      [
        { sql: "t.kind = 'metadata' AND t.id = n.id", values: [] },
        memberSql(query, 't'),
        stateSql(query, 't'),
      ],
      visibleSql(query, 't', 't.audience'),
    ),
  ]
  return {
    from: `(SELECT 0 AS rid, 0 AS rev, json_extract(value, '$.id') AS id, -json_extract(value, '$.time') AS age,
      '' AS schema, '' AS type FROM json_each(?)) n`,
    where: parts.map(part => part.sql),
    values: [JSON.stringify(purged), ...parts.flatMap(part => part.values)],
  }
}

/** The table of the losses of a list, and the condition on its rows. */
function lossesOf({ storedSets }: HarvestQuery): { table: string; ofSet: (row: string) => SqlQuery } {
  const only = storedSets?.only
  if (only === undefined) return { table: 'withdrawn', ofSet: () => everything }
  return { table: 'departure', ofSet: row => ({ sql: `${row}.number = ?`, values: [only] }) }
}

/** The condition that the revision in the row is in the stored set of the list. */
function stateSql({ storedSets }: HarvestQuery, row: string): SqlQuery {
  return storedSets?.only === undefined ? everything : inStoredSet(storedSets.only, row)
}

const everything: SqlQuery = { sql: '1', values: [] }

/** The filters by id and time. */
function rangeSql({ id, from, until }: HarvestQuery): readonly SqlQuery[] {
  return [
    ...(id === undefined ? [] : [{ sql: 'n.id = ?', values: [id] }]),
    ...(from === undefined ? [] : [{ sql: 'n.age <= ?', values: [-from] }]),
    ...(until === undefined ? [] : [{ sql: 'n.age >= ?', values: [-until] }]),
  ]
}

function absent(from: string, conditions: readonly SqlQuery[], visible: SqlQuery | undefined): SqlQuery {
  const { sql, values } = exists(from, [...conditions, ...(visible ? [visible] : [])])
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
  return { sql: conditions.length > 0 ? conditions.join(' AND ') : '1', values }
}

/**
 * The condition that the list of the caller reports the loss of a former revision: the caller could read that revision,
 * or sees the record now.
 */
export function reportedLossSql(query: HarvestQuery, row: string): SqlQuery {
  const { readableBy, readsUnrevoked } = query
  if (!readableBy || readsUnrevoked) return { sql: '1', values: [] }
  const now = visibleSql(query, 's', 's.audience') ?? { sql: '1', values: [] as SqlRow }
  return {
    sql: `(EXISTS (SELECT 1 FROM member m WHERE m.audience = ${row}.audience
        AND m.sid IN (SELECT value FROM json_each(?)))
      OR EXISTS (SELECT 1 FROM newest s WHERE s.rid = ${row}.rid AND ${now.sql}))`,
    values: [JSON.stringify(readableBy), ...now.values],
  }
}
