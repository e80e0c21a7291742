import type { SqlQuery } from '../../../catalog/lists/list-sql.js'

/** Number of a stored set in the catalog: a set of metadata that harvesters can ask for, defined by a search. */
export type SetNumber = number

/** The condition that a revision is in a stored set. @param row name of a table with the columns `rid` and `rev` */
export function inStoredSet(number: SetNumber, row: string): SqlQuery {
  return {
    sql: `EXISTS (SELECT 1 FROM membership m WHERE m.rid = ${row}.rid AND m.number = ? AND ${covers('m', `${row}.rev`)})`,
    values: [number],
  }
}

/** SQL of the names of the stored sets that contain a revision, as a JSON array. @param rev SQL of its row number */
export function storedSetsOf(rid: string, rev: string): string {
  return `(SELECT json_group_array(s.spec) FROM membership m CROSS JOIN stored_set s ON s.number = m.number
    WHERE m.rid = ${rid} AND s.spec IS NOT NULL AND ${covers('m', rev)})`
}

function covers(membership: string, rev: string): string {
  return `${membership}.first <= ${rev} AND coalesce(${membership}.until > ${rev}, 1)`
}

/** Selects `rid` of the records that are in a stored set now. */
export function membersSql(number: SetNumber): SqlQuery {
  return { sql: 'SELECT rid FROM membership WHERE number = ? AND until IS NULL', values: [number] }
}
