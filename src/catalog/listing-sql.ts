import type { Window } from '../core/page.js'
import type { Kind } from '../core/values.js'
import type { ListQuery } from './catalog.js'
import type { Row, Value } from './database.js'

/** Where a page ended: `offset` entries come up to and with the one of this key. */
export interface Anchor {
  readonly offset: number
  /** Schemas: id. Metadata: age, id. */
  readonly key: Row
}

/** A listing before a page is cut: its text depends on which filters there are, never on their values. */
export interface Shape {
  readonly from: string
  readonly where: readonly string[]
  readonly values: Row
}

export interface Sql {
  readonly sql: string
  readonly values: Row
}

/**
 * @param seesLittle the caller may see but a small part of everything: it is gathered first
 */
export function shapeOf(kind: Kind, query: ListQuery, seesLittle: boolean): Shape {
  let from = 'newest n'
  const where: string[] = []
  const values: Value[] = []
  const add = (condition: string, ...given: Value[]) => {
    where.push(condition)
    values.push(...given)
  }
  const schemaIds = kind === 'metadata' ? query.schemaIds : undefined
  // Few records describe one resource: they are gathered first and sorted.
  if (kind === 'metadata' && query.resources) {
    from = `(SELECT DISTINCT rid FROM resource WHERE resource IN (SELECT value FROM json_each(?))) q
            CROSS JOIN newest n ON n.rid = q.rid`
    values.push(JSON.stringify(query.resources))
  } else if (query.readableBy && !schemaIds && seesLittle) {
    from = `(SELECT DISTINCT rid FROM reader WHERE sid IN (SELECT value FROM json_each(?))) q
            CROSS JOIN newest n ON n.rid = q.rid`
    values.push(JSON.stringify(query.readableBy))
  }
  // The schema of metadata says its kind too, and its index has no other.
  if (schemaIds?.length === 1) add('n.schema = ?', schemaIds[0] ?? '')
  else add('n.kind = ?', kind)
  if (schemaIds && schemaIds.length !== 1)
    add('n.schema IN (SELECT value FROM json_each(?))', JSON.stringify(schemaIds))
  if (query.documentTypes)
    add('n.type IN (SELECT value FROM json_each(?))', JSON.stringify(query.documentTypes))
  if (query.from !== undefined && query.until !== undefined)
    add('n.age BETWEEN ? AND ?', -query.until, -query.from)
  else if (query.from !== undefined) add('n.age < ?', -query.from)
  else if (query.until !== undefined) add('n.age > ?', -query.until)
  if (query.readableBy) {
    add(
      'EXISTS (SELECT 1 FROM reader a WHERE a.rid = n.rid AND a.sid IN (SELECT value FROM json_each(?)))',
      JSON.stringify(query.readableBy),
    )
  }
  return { from, where, values }
}

export function totalSql(shape: Shape): Sql {
  return {
    sql: `SELECT count(*) FROM ${shape.from} WHERE ${shape.where.join(' AND ')}`,
    values: shape.values,
  }
}

/** @returns SQL that selects `rev`, `id` and `age` of `newest` */
export function pageSql(kind: Kind, shape: Shape, window: Window, anchor?: Anchor): Sql {
  const byId = kind === 'schema'
  const where = anchor ? [...shape.where, byId ? 'n.id > ?' : '(n.age, n.id) > (?, ?)'] : shape.where
  return {
    sql: `SELECT n.rev, n.id, n.age FROM ${shape.from} WHERE ${where.join(' AND ')}
      ORDER BY ${byId ? 'n.id' : 'n.age, n.id'} LIMIT ? OFFSET ?`,
    values: [...shape.values, ...(anchor?.key ?? []), window.limit, window.offset - (anchor?.offset ?? 0)],
  }
}
