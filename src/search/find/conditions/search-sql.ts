import type { SqlValue } from '../../../catalog/database/sqlite-connection.js'
import type { SqlQuery } from '../../../catalog/lists/list-sql.js'

/** SQL without values. */
export function plain(sql: string): SqlQuery {
  return { sql, values: [] }
}

/** Limit of the conditions that one AND or OR joins: each is a level of the expression, and SQLite takes 1000. */
const maxJoined = 100

/** Joins conditions by AND or OR. @param empty the result if there are none */
export function joined<P extends SqlQuery>(
  parts: readonly P[],
  by: 'AND' | 'OR',
  empty: '0' | '1',
): P | SqlQuery {
  const [first] = parts
  if (!first) return plain(empty)
  if (parts.length === 1) return first
  if (parts.length > maxJoined) {
    const size = Math.ceil(parts.length / maxJoined)
    const groups = Array.from({ length: Math.ceil(parts.length / size) }, (_, index) =>
      joined<SqlQuery>(parts.slice(index * size, (index + 1) * size), by, empty),
    )
    return joined(groups, by, empty)
  }
  return {
    sql: `(${parts.map(({ sql }) => sql).join(` ${by} `)})`,
    values: parts.flatMap(({ values }) => values),
  }
}

/** The condition that a column has one of these values, however many there are. */
export function isOneOf(column: string, wanted: readonly SqlValue[]): SqlQuery {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(wanted)] }
}
