import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import type { HarvestEntry, HarvestQuery } from './harvest-query.js'
import { type ListPart, selectSql } from './list-parts.js'
import { storedSetsOf } from './membership-sql.js'

type EntryRow = readonly [
  rid: number,
  rev: number,
  id: string,
  age: number,
  isDeleted: number,
  isShownAgain: number,
  schema: string | null,
  type: string | null,
  storedSets: string,
]

/**
 * Reads the rows of a page, and leaves out those `shown again` that the caller did not see at the point.
 * @param isSeen says whether the caller saw the record at the point
 */
export function rowsSeen(
  connection: Connection,
  parts: readonly ListPart[],
  isSeen: (rid: number) => boolean,
  query: HarvestQuery,
): readonly EntryRow[] {
  const seen: EntryRow[] = []
  for (let cursor = query.after; ; ) {
    const count = query.limit - seen.length
    const rows = rowsAfter(connection, parts, query, cursor, count)
    for (const row of rows) {
      const [rid, , id, age, , isShownAgain] = row
      cursor = { time: -age, id }
      if (!isShownAgain || isSeen(rid)) seen.push(row)
    }
    if (rows.length < count || seen.length === query.limit) return seen
  }
}

function rowsAfter(
  connection: Connection,
  parts: readonly ListPart[],
  { storedSets }: HarvestQuery,
  cursor: HarvestQuery['after'],
  count: number,
): readonly EntryRow[] {
  const selects = parts.map(part => selectSql(part, cursor))
  return connection
    .prepare<EntryRow>(
      `SELECT *, ${storedSets ? storedSetsOf('p.rid', 'p.rev - p.isDeleted') : "'[]'"} FROM (
         ${selects.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY age DESC, id DESC LIMIT ?) p
       ORDER BY age DESC, id DESC`,
    )
    .all(...selects.flatMap(({ values }) => values), count)
}

export function entryOf([, rev, id, age, isDeleted, , schema, type, storedSets]: EntryRow): HarvestEntry {
  const placement = {
    schema: schema ?? '',
    type: type ?? '',
    storedSets: JSON.parse(storedSets) as readonly string[],
  }
  return { id, time: -age, placement, ...(!isDeleted && { rev }) }
}
