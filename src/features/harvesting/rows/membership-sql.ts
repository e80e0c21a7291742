import type { SqlQuery } from '../../../catalog/lists/list-sql.js'

/** Number of a stored set in the catalog: a set of metadata that harvesters can ask for, defined by a search. */
export type SetNumber = number

/**
 * The condition that a record was in a stored set at a point.
 * @param row name of a table with the column `rid`
 * @param upTo number of the last revision up to the point
 */
export function inStoredSet(number: SetNumber, row: string, upTo: number): SqlQuery {
  return memberSql(number, row, upTo, '')
}

/**
 * As {@link inStoredSet}, for records that came into the set with their revision in the row, or with an earlier one.
 * @param row name of a table with the columns `rid` and `rev`
 */
export function inStoredSetByItself(number: SetNumber, row: string, upTo: number): SqlQuery {
  return memberSql(number, row, upTo, `AND m.first <= ${row}.rev`)
}

function memberSql(number: SetNumber, row: string, upTo: number, further: string): SqlQuery {
  return {
    sql: `EXISTS (SELECT 1 FROM membership m WHERE m.rid = ${row}.rid AND m.number = ? AND ${covers('?')} ${further})`,
    values: [number, upTo, upTo],
  }
}

/**
 * Selects the records of a table that were in a stored set at a point, because a crosswalk had changed after their
 * revision in the table. Their `age` is that of the change.
 * @param table `newest`, or `past` for the point
 */
export function arrivedSql(number: SetNumber, table: 'newest' | 'past', upTo: number): SqlQuery {
  const [column, condition] = table === 'past' ? ['s.upto', 's.upto = ? AND '] : ['s.audience', '']
  return {
    sql: `SELECT a.age AS age, a.id AS id, s.rid AS rid, s.rev AS rev, s.kind AS kind, s.schema AS schema, s.type AS type, ${column}
      FROM arrival a CROSS JOIN ${table} s ON ${condition}s.rid = a.rid
      CROSS JOIN membership m ON m.rid = a.rid AND m.number = a.number AND m.first = a.rev
      WHERE a.number = ? AND a.rev > s.rev AND ${covers('?')}`,
    values: [...(table === 'past' ? [upTo] : []), number, upTo, upTo],
  }
}

/**
 * SQL of the names of the stored sets that contain a record at a point, as a JSON array.
 * @param rev SQL of the number of the last revision up to the point
 */
export function storedSetsOf(rid: string, rev: string): string {
  return `(SELECT json_group_array(s.spec) FROM membership m CROSS JOIN stored_set s ON s.number = m.number
    WHERE m.rid = ${rid} AND s.spec IS NOT NULL AND ${covers(rev)})`
}

/** The condition that a membership `m` holds at a point. @param rev SQL of the number of the last revision up to it */
function covers(rev: string): string {
  return `m.first <= ${rev} AND coalesce(m.until > ${rev}, 1)`
}

/** Selects `rid` of the records that were in a stored set at a point. */
export function membersSql(number: SetNumber, upTo: number): SqlQuery {
  return {
    sql: `SELECT m.rid FROM membership m WHERE m.number = ? AND (m.until IS NULL OR m.until > ?) AND m.first <= ?`,
    values: [number, upTo, upTo],
  }
}

/**
 * Selects the numbers of the revisions of schemas whose crosswalks brought records into stored sets, or took them away.
 * @param listed the condition that the caller sees the record in the row `n` of `newest`
 * @param reported the condition that its lists report the departure in the row `d`
 */
export function lastCrosswalkSql(upTo: number, listed: SqlQuery, reported: SqlQuery): SqlQuery {
  const last = (from: string, row: string, { sql, values }: SqlQuery) => ({
    sql: `SELECT ${row}.rev AS rev FROM ${from} WHERE ${row}.rev <= ? AND ${sql} ORDER BY ${row}.rev DESC LIMIT 1`,
    values: [upTo, ...values],
  })
  const arrived = last('arrival a CROSS JOIN newest n ON n.rid = a.rid', 'a', listed)
  const departed = last('departure d', 'd', reported)
  return {
    sql: `SELECT max(rev) FROM (SELECT * FROM (${arrived.sql}) UNION ALL SELECT * FROM (${departed.sql}))`,
    values: [...arrived.values, ...departed.values],
  }
}
