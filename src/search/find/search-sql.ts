import type { SqlValue } from '../../catalog/database/sqlite-connection.js'
import type { SqlQuery } from '../../catalog/lists/list-sql.js'

/** SQL without values. */
export function plain(sql: string): SqlQuery {
  return { sql, values: [] }
}

/** Joins conditions; `empty` where there are none. */
export function joined(parts: readonly SqlQuery[], by: 'AND' | 'OR', empty: '0' | '1'): SqlQuery {
  const [first] = parts
  if (!first) return plain(empty)
  if (parts.length === 1) return first
  return {
    sql: `(${parts.map(({ sql }) => sql).join(` ${by} `)})`,
    values: parts.flatMap(({ values }) => values),
  }
}

/** The condition that a value is one of a list, whatever its length. */
export function isOneOf(column: string, wanted: readonly SqlValue[]): SqlQuery {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(wanted)] }
}
