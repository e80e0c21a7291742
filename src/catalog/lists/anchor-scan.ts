import type { Collection } from '../../core/records/collection.js'
import type { ListQuery } from '../../core/records/list-query.js'
import type { BackgroundConnection } from '../database/background-connection.js'
import type { SqlValue } from '../database/sqlite-connection.js'
import { type Anchor, currentList, orderOf, type SqlQuery } from './list-sql.js'

/** The anchors of a list as it was after the revision `upTo`, in the build of the catalog with this identity. */
export interface AnchorScan {
  readonly identity: string
  readonly upTo: number
  readonly anchors: readonly Anchor[]
}

/**
 * Reads a whole list in another thread, along an index.
 * @param query without `resources` and access limits
 * @param step number of entries between two anchors
 */
export async function scanAnchors(
  background: BackgroundConnection,
  kind: Collection,
  query: ListQuery,
  step: number,
): Promise<AnchorScan | undefined> {
  const order = orderOf(kind, query.sort)
  const { from, where, values } = currentList(kind, query, {})
  const keys = order.columns.map(column => `n.${column}${order.backwards ? ' DESC' : ''}`).join(', ')
  const list = spelledOut({ sql: `FROM ${from} WHERE ${where.join(' AND ')}`, values })
  // A single statement, so that all values come from the same state of the database.
  const row = await background.ask<readonly [identity: string, upto: number, anchors: string]>(
    `
    PRAGMA temp_store = MEMORY;
    DROP TABLE IF EXISTS temp.survey;
    CREATE TEMP TABLE survey AS SELECT
      (SELECT identity FROM state) AS identity,
      (SELECT coalesce(max(rev), 0) FROM revision) AS upto,
      (SELECT json_group_array(json_array(place, ${order.columns.join(', ')})) FROM (
        SELECT row_number() OVER (ORDER BY ${keys}) AS place, n.id, n.age ${list}) WHERE place % ${step} = 0) AS anchors`,
    'SELECT identity, upto, anchors FROM temp.survey',
  )
  if (!row) return undefined
  const [identity, upTo, anchors] = row
  const found = JSON.parse(anchors) as readonly (readonly [offset: number, ...key: SqlValue[]])[]
  return { identity, upTo, anchors: found.map(([offset, ...key]) => ({ offset, key })) }
}

/** The statement with literal values, because the connection of the other thread cannot bind values. */
function spelledOut({ sql, values }: SqlQuery): string {
  const [first = '', ...rest] = sql.split('?')
  return rest.reduce((text, part, index) => text + literal(values[index] ?? null) + part, first)
}

function literal(value: SqlValue): string {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}
