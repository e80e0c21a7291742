import { malformedRequest } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import { type ListCursor, type PageRequest, shortPage } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Oid } from '../../core/value-types.js'
import type { Connection } from '../database/sqlite-connection.js'
import { openListReader } from '../lists/list-reader.js'
import type { PointInTimeTables } from '../point-in-time/point-in-time.js'
import { openPageCache, openPageRevisionCache, type ReadRows, type Sized } from './revision-cache.js'
import { bodiesSql, type PageRow, pageRevisionsSql, type RevisionRow, toRevision } from './revision-row.js'

/** Pages of lists and of versions. Row numbers are valid in one build of the catalog only. */
export interface PageQueries extends Pick<CatalogQueries, 'list' | 'versions'> {
  /** {@link Catalog.quickPage} */
  quickPage(kind: Collection, query: ListQuery, window: PageRequest): ListPage | undefined
  /** Reads revisions with one statement. Long records are read when they are accessed. */
  revisionsOf(revs: readonly number[]): readonly Revision[]
  /** As {@link CatalogQueries.list}. */
  listedRows(kind: Collection, query: ListQuery, window: PageRequest): ListPage<SizedRow>
  /** As {@link CatalogQueries.versions}. */
  versionRows(kind: Collection, id: Id, window: PageRequest): ListPage<SizedRow> | undefined
}

/** A revision on a page: its row number, and the size of its stored record in bytes. */
export type SizedRow = readonly [rev: number, bytes: number]

/**
 * Opens the queries for the pages of lists.
 * @param snapshot runs a job in a transaction, so that all its reads see one state of the catalog
 * @param wasThere says whether the record with the row number `rid` existed, not GONE, after the revision `upTo`
 */
export function openPageQueries(
  connection: Connection,
  snapshots: PointInTimeTables,
  snapshot: <T>(job: () => T) => T,
  wasThere: (rid: number, upTo: number) => boolean,
): PageQueries {
  const sql = statementsOf(connection)
  const listing = openListReader(connection, snapshots)
  const rows = openPageRowReaders(connection)
  const pages = openPageCache()

  function listed<T>(
    kind: Collection,
    query: ListQuery,
    window: PageRequest,
    rowsOf: (revs: readonly number[], identity: string) => readonly Sized<T>[],
  ): ListPage<T> {
    // In a transaction of the writer, the number of the newest revision does not identify what the list is.
    const remember = !connection.inTransaction
    return snapshot(() => {
      const page = listing.list(kind, query, window, remember, (revs, identity) =>
        withinBytes(rowsOf(revs, identity), window.bytes),
      )
      return {
        ...page,
        items: page.items.map(({ item }) => item),
        bytes: bytesOf(page.items),
        limit: window.limit,
        ...(window.after && { continued: true }),
      }
    })
  }

  /** Returns the page of the cache. If there is none, `orElse` decides whether the page is read here. */
  function read<T extends ListPage | undefined>(
    kind: Collection,
    query: ListQuery,
    window: PageRequest,
    orElse: (find: () => ListPage) => T,
  ): ListPage | T {
    if (connection.inTransaction || window.at)
      return orElse(() => listed(kind, query, window, rows.revisions))
    const state = sql.state.get()?.join(' ') ?? ''
    return pages.read(state, JSON.stringify([kind, query, window]), () =>
      orElse(() => listed(kind, query, window, rows.cachedRevisions)),
    )
  }

  function versionsOf<T>(
    kind: Collection,
    id: Id,
    { offset, limit, at, after, bytes }: PageRequest,
    rowsOf: ReadRows<T>,
  ): ListPage<T> | undefined {
    const behind = after ? versionOf(after) : Number.MAX_SAFE_INTEGER
    return snapshot(() => {
      const upTo = at && snapshots.revisionAt(at)
      const [rid] = sql.served.get(kind, id) ?? []
      if (rid === undefined) return undefined
      if (upTo !== undefined && !wasThere(rid, upTo)) return undefined
      const last = upTo ?? Number.MAX_SAFE_INTEGER
      // Commits of other records are left out, because the reader may not see them.
      const commit = sql.lastUpTo.get(rid, last)?.[0] as Oid | undefined
      const found = sql.versions.all(rid, last, behind, limit, after ? 0 : offset)
      const fitting = withinBytes(rowsOf(found.map(([rev]) => rev)), bytes)
      const [total, before] = sql.versionCount.get(behind, rid, last) ?? [0, 0]
      const [, end] = found[fitting.length - 1] ?? []
      return {
        items: fitting.map(({ item }) => item),
        bytes: bytesOf(fitting),
        offset: after ? before : offset,
        limit,
        total,
        ...(commit && { commit }),
        // If the page ends early, offset and limit do not tell where the next page begins.
        ...(fitting.length < found.length && end !== undefined && { next: { id: String(end) } }),
        ...(after && { continued: true }),
      }
    })
  }

  return {
    quickPage(kind, query, window) {
      if (window.limit > shortPage || (window.at && !snapshots.isNewest(window.at))) return undefined
      return read(kind, query, window, find => (listing.isNear(kind, query, window) ? find() : undefined))
    },
    revisionsOf: revs => rows.revisions(revs).map(({ item }) => item),
    list: (kind, query, window) => read(kind, query, window, find => find()),
    listedRows: (kind, query, window) => listed(kind, query, window, rows.sizes),
    versions: (kind, id, window) => versionsOf(kind, id, window, rows.revisions),
    versionRows: (kind, id, window) => versionsOf(kind, id, window, rows.sizes),
  }
}

/** Three readers of the rows of a page: of revisions, of revisions through a cache, and of sizes only. */
function openPageRowReaders(connection: Connection) {
  const sql = {
    revisions: connection.prepare<PageRow>(pageRevisionsSql),
    sizes: connection.prepare<SizedRow>(
      `SELECT r.rev, octet_length(b.json) FROM json_each(?) q CROSS JOIN revision r ON r.rev = q.value
         CROSS JOIN body b ON b.body = r.body ORDER BY q.key`,
    ),
  }
  const readBodies = openLongRecordReader(connection)
  const cache = openPageRevisionCache()

  const revisions: ReadRows<Revision> = revs => {
    const rows = assertComplete(revs, sql.revisions.all(JSON.stringify(revs)))
    const readBody = readBodies(rows)
    return rows.map(row => {
      const [, , , , , , json, , , , , , , body, bytes] = row
      const item = toRevision(
        row as readonly unknown[] as RevisionRow,
        json === null ? () => readBody(body) : undefined,
      )
      return { item, bytes }
    })
  }
  const cachedRevisions = (revs: readonly number[], identity: string) => cache.read(identity, revs, revisions)
  const sizes: ReadRows<SizedRow> = revs =>
    assertComplete(revs, sql.sizes.all(JSON.stringify(revs))).map(item => ({ item, bytes: item[1] }))

  return { revisions, cachedRevisions, sizes }
}

function bytesOf(rows: readonly Sized<unknown>[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** The version that a cursor names. @throws ProblemError `malformed-request` */
function versionOf({ id, time }: ListCursor): number {
  if (time === undefined && /^[1-9]\d{0,14}$/.test(id)) return Number(id)
  throw malformedRequest(
    'The parameter after is no version, and the list is one of versions: write it as a whole number from 1.',
  )
}

/** The first rows whose records have at most `max` bytes in total; at least one row. */
function withinBytes<T>(rows: readonly Sized<T>[], max = Number.POSITIVE_INFINITY): readonly Sized<T>[] {
  let sum = 0
  const end = rows.findIndex(({ bytes }, index) => {
    sum += bytes
    return sum > max && index > 0
  })
  return end < 0 ? rows : rows.slice(0, end)
}

function assertComplete<T>(revs: readonly number[], rows: readonly T[]): readonly T[] {
  if (rows.length === revs.length) return rows
  throw new Error(`The catalog has ${rows.length} of ${revs.length} revisions.`)
}

function statementsOf(connection: Connection) {
  return {
    state: connection.prepare<readonly [identity: string, head: string | null]>(
      'SELECT identity, head FROM state',
    ),
    served: connection.prepare<readonly [rid: number]>('SELECT rid FROM newest WHERE kind = ? AND id = ?'),
    versions: connection.prepare<readonly [rev: number, version: number]>(
      `SELECT max(rev), version FROM revision WHERE rid = ? AND standing = 1 AND rev <= ? AND version < ?
       GROUP BY version ORDER BY version DESC LIMIT ? OFFSET ?`,
    ),
    versionCount: connection.prepare<readonly [n: number, before: number]>(
      `SELECT count(DISTINCT version), count(DISTINCT version) FILTER (WHERE version >= ?)
       FROM revision WHERE rid = ? AND standing = 1 AND rev <= ?`,
    ),
    lastUpTo: connection.prepare<readonly [commit: string]>(
      'SELECT oid FROM revision WHERE rid = ? AND rev <= ? ORDER BY rev DESC LIMIT 1',
    ),
  }
}

/** Limit of the bytes of records that one statement reads, unless a single record is longer. */
const maxBytesPerStatement = 64 * 1024

/** Reads the long records of a page by their row numbers. The first access to one of them reads several at once. */
function openLongRecordReader(
  connection: Connection,
): (rows: readonly PageRow[]) => (body: number) => string {
  const sql = connection.prepare<readonly [body: number, json: string]>(bodiesSql)

  return rows => {
    const groups = new Map<number, readonly number[]>()
    let group: number[] = []
    let bytes = 0
    for (const [, , , , , , json, , , , , , , body, length] of rows) {
      if (json !== null || groups.has(body)) continue
      if (bytes + length > maxBytesPerStatement) {
        group = []
        bytes = 0
      }
      group.push(body)
      bytes += length
      groups.set(body, group)
    }
    /** Records that were read and not accessed yet. */
    const known = new Map<number, string>()
    return body => {
      if (!known.has(body)) {
        const wanted = groups.get(body) ?? [body]
        for (const [each, json] of sql.all(JSON.stringify(wanted))) known.set(each, json)
      }
      const json = known.get(body)
      if (json === undefined)
        throw new Error(`The catalog was built anew: it has no row ${body} of a record.`)
      // It is not needed again, because the revision keeps the parsed record.
      known.delete(body)
      return json
    }
  }
}
