import { LRUCache } from 'lru-cache'
import type { Window } from '../core/page.js'
import type { Kind } from '../core/values.js'
import type { ListQuery } from './catalog.js'
import type { Connection } from './database.js'
import { type Anchor, pageSql, type Shape, shapeOf, totalSql } from './listing-sql.js'

/** Ends of pages kept for one query, so that the next page starts where the last one ended. */
const mostAnchors = 256
/** Queries whose page ends and totals are kept. */
const mostQueries = 64

interface Kept {
  total?: number
  anchors: Anchor[]
}

export interface Listing {
  /**
   * @param remember whether what this call finds out may serve later ones: not inside a writer's transaction
   * @returns rows of `revision` in the order of the listing, and the number of all matches
   */
  list(
    kind: Kind,
    query: ListQuery,
    window: Window,
    remember: boolean,
  ): { readonly revs: readonly number[]; readonly total: number }
}

/** What {@link pageSql} selects. */
type Entry = readonly [rev: number, id: string, age: number]

/**
 * Listings page by key: a page that follows one given before starts at its end; any other is reached by counting
 * over a covering index from the nearest end known, never over the rows themselves.
 */
export function openListing(connection: Connection): Listing {
  const kept = new LRUCache<string, Kept>({ max: mostQueries })
  let keptFor: string | undefined
  const head = connection.prepare<readonly [string | null, string]>('SELECT head, identity FROM state')
  const tallyOf = connection.prepare<readonly [number]>('SELECT n FROM tally WHERE kind = ? AND schema = ?')
  const tally = connection.prepare<readonly [number]>('SELECT coalesce(sum(n), 0) FROM tally WHERE kind = ?')
  const readable = connection.prepare<readonly [number]>(
    'SELECT count(*) FROM reader WHERE sid IN (SELECT value FROM json_each(?))',
  )

  /** What is kept holds for one state of the catalog only. */
  function keptOf(kind: Kind, query: ListQuery): Kept {
    const now = JSON.stringify(head.get())
    if (now !== keptFor) kept.clear()
    keptFor = now
    const name = JSON.stringify([
      kind,
      query.documentTypes,
      query.resources,
      query.schemaIds,
      query.from,
      query.until,
      query.readableBy,
    ])
    let found = kept.get(name)
    if (!found) {
      found = { anchors: [] }
      kept.set(name, found)
    }
    return found
  }

  /** Gathering what a caller may see beats looking at everything when it is a small part. */
  function seesLittle(kind: Kind, sids: readonly string[]): boolean {
    const seen = readable.get(JSON.stringify(sids))?.[0] ?? 0
    return seen * 8 < (tally.get(kind)?.[0] ?? 0)
  }

  function totalOf(kind: Kind, query: ListQuery, shape: Shape): number {
    const { documentTypes, resources, schemaIds, from, until, readableBy } = query
    const metadata = kind === 'metadata'
    const plain =
      !documentTypes && from === undefined && until === undefined && !readableBy && !(metadata && resources)
    if (plain && !(metadata && schemaIds)) return tally.get(kind)?.[0] ?? 0
    if (plain && schemaIds?.length === 1) return tallyOf.get('metadata', schemaIds[0] ?? '')?.[0] ?? 0
    const { sql, values } = totalSql(shape)
    return connection.prepare<readonly [number]>(sql).get(...values)?.[0] ?? 0
  }

  function list(kind: Kind, query: ListQuery, window: Window, remember: boolean) {
    const memory: Kept = remember ? keptOf(kind, query) : { anchors: [] }
    const little = query.readableBy !== undefined && seesLittle(kind, query.readableBy)
    const shape = shapeOf(kind, query, little)
    memory.total ??= totalOf(kind, query, shape)
    if (window.offset >= memory.total || window.limit === 0) return { revs: [], total: memory.total }
    let anchor: Anchor | undefined
    for (const known of memory.anchors)
      if (known.offset <= window.offset && known.offset > (anchor?.offset ?? 0)) anchor = known
    const { sql, values } = pageSql(kind, shape, window, anchor)
    const entries = connection.prepare<Entry>(sql).all(...values)
    const last = entries.at(-1)
    const end = window.offset + entries.length
    if (last && !memory.anchors.some(known => known.offset === end)) {
      if (memory.anchors.length >= mostAnchors) memory.anchors.shift()
      memory.anchors.push({ offset: end, key: kind === 'schema' ? [last[1]] : [last[2], last[1]] })
    }
    return { revs: entries.map(([rev]) => rev), total: memory.total }
  }

  return { list }
}
