import { isPlain } from '../../core/plain-mode.js'
import type { PageWindow } from '../../core/records/list-page.js'
import type { Connection, SqlRow } from '../database/sqlite-connection.js'
import { addAnchor, anchorWithKey, type KnownList, nearestAnchor } from './known-lists.js'
import { type Anchor, type KeyOrder, type ListSource, pageSql, rankSql, type SqlQuery } from './list-sql.js'

/** Number of entries between two anchors. To reach a deep page, at most this many are counted. */
export const anchorDistance = 1024

/** A row of {@link pageSql}. */
export type Entry = readonly [rev: number, id: string, age: number]

/**
 * Finds pages by key. A page that follows a known page starts at the end of that page. To find any other page, SQLite
 * counts entries of a covering index from the nearest anchor, never rows of a table. An anchor is a known place in a
 * list: the number of entries before it, and the key of the last of them.
 */
export function openPageFinder(connection: Connection) {
  function count({ sql, values }: SqlQuery): number {
    return connection.prepare<readonly [number]>(sql).get(...values)?.[0] ?? 0
  }

  function entriesOf(
    parts: readonly ListSource[],
    order: KeyOrder,
    window: PageWindow,
    anchor?: Anchor,
  ): readonly Entry[] {
    const { sql, values } = pageSql(parts, order, window, anchor)
    return connection.prepare<Entry>(sql).all(...values)
  }

  /** The last anchor up to the offset. If it is far away, adds anchors on the way. The plain path has no anchors. */
  function anchorBefore(
    memory: KnownList,
    parts: readonly ListSource[],
    order: KeyOrder,
    offset: number,
  ): Anchor | undefined {
    if (isPlain) return undefined
    let anchor = nearestAnchor(memory.anchors, offset)
    for (;;) {
      const next = (anchor?.offset ?? 0) + anchorDistance
      if (next > offset) return anchor
      const [entry] = entriesOf(parts, order, { offset: next - 1, limit: 1 }, anchor)
      if (!entry) return anchor
      anchor = { offset: next, key: keyIn(entry, order) }
      addAnchor(memory, anchor)
    }
  }

  /** The anchor of a key. Counts the entries before it if there is no such anchor yet. */
  function anchorAt(memory: KnownList, parts: readonly ListSource[], order: KeyOrder, key: SqlRow): Anchor {
    const found = anchorWithKey(memory.anchors, key)
    if (found) return found
    const offset = parts.reduce((sum, part) => sum + count(rankSql(part, order, key)), 0)
    const anchor = { offset, key }
    addAnchor(memory, anchor)
    return anchor
  }

  return { count, entriesOf, anchorBefore, anchorAt }
}

export function keyIn([, id, age]: Entry, { columns }: KeyOrder): SqlRow {
  return columns.map(column => (column === 'id' ? id : age))
}
