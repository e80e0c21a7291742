import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { type ListSource, lastVisibleCommitSql, totalSql } from '../../../catalog/lists/list-sql.js'
import { type ListStatistics, openListStatistics } from '../../../catalog/lists/list-statistics.js'
import { openVisibleAtPoint } from '../../../catalog/point-in-time/point-in-time.js'
import type { OpenRowReader } from '../../../catalog/read/row-readers.js'
import { ProblemError } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import { reportedLossSql, visibleNow } from './harvest-losses.js'
import type { HarvestEntry, HarvestPage, HarvestQuery } from './harvest-query.js'
import { harvestOrder, type ListPart, partsOf, selectSql } from './list-parts.js'
import { lastCrosswalkSql, type SetNumber, storedSetsOf } from './membership-sql.js'

/**
 * Reads lists for harvesters: metadata that the caller sees, and the losses of metadata that the caller saw before. It
 * is the script of a reader of the catalog.
 */
export const openReader: OpenRowReader<HarvestQuery, HarvestPage> = ({ connection, snapshots, snapshot }) => {
  const statistics = openListStatistics(connection)
  const visibleAtPoint = openVisibleAtPoint(connection)
  const sets = openRequestedSets(connection)
  const commits = openHarvestCommits(connection, statistics)
  const totals = openHarvestTotals(connection, statistics)
  const state = connection.prepare<readonly [head: string | null, identity: string, latest: number]>(
    'SELECT head, identity, (SELECT coalesce(max(rev), 0) FROM revision) FROM state',
  )

  function harvest(query: HarvestQuery): HarvestPage {
    const [head, identity, latest = 0] = state.get() ?? [null, '', 0]
    const { storedSets } = query
    if (storedSets) sets.assertUnchanged(storedSets, identity)
    const point = query.at ?? storedSets?.newest
    const upTo = point ? snapshots.revisionAt(point) : latest
    const past = point && snapshots.prepare(upTo, identity) ? upTo : undefined
    const hasFewMembers = storedSets?.only !== undefined && sets.isSmall(storedSets.only)
    const access = hasFewMembers ? 'members' : statistics.accessPath('metadata', query, harvestOrder)
    const parts = partsOf(query, past, upTo, access)
    const isSeen = visibleAtPoint(upTo, query)
    const rows = rowsSeen(connection, parts, isSeen, query, upTo)
    const newest = storedSets?.newest.commit ?? ((head ?? undefined) as Oid | undefined)
    const commit = query.at?.commit ?? commits.commitOf(query, newest, upTo)
    return {
      identity,
      entries: rows.map(entryOf),
      ...(commit && { commit }),
      ...(query.counted && { total: totals.total(query, past, parts, isSeen) }),
    }
  }

  return query => snapshot(() => harvest(query))
}

/** Finds the commit of a list. */
interface HarvestCommits {
  /**
   * The last commit that changed the caller's list; later commits must not be revealed. Undefined if there is none.
   * @param head the last commit, for callers who see everything
   * @param upTo number of the last revision up to the point of the list
   */
  commitOf(query: HarvestQuery, head: Oid | undefined, upTo: number): Oid | undefined
}

export function openHarvestCommits(connection: Connection, statistics: ListStatistics): HarvestCommits {
  const commitOfRevision = connection.prepare<readonly [oid: string]>(
    'SELECT oid FROM revision WHERE rev = ?',
  )
  const revisionIn = connection.prepare<readonly [rev: number]>('SELECT rev FROM chain WHERE oid = ?')
  const revisionOf = (oid: string | undefined) => (oid === undefined ? 0 : (revisionIn.get(oid)?.[0] ?? 0))

  function lastVisible(query: HarvestQuery, upTo: number): string | undefined {
    const access = statistics.accessPath('metadata', query, harvestOrder)
    const { sql, values } = lastVisibleCommitSql(upTo, query, access)
    return connection.prepare<readonly [oid: string]>(sql).get(...values)?.[0]
  }

  /** The number of the revision of the last loss that the list reports. */
  function lastLoss(query: HarvestQuery, upTo: number): number | null | undefined {
    const { sql, values } = reportedLossSql(query, 'n')
    return connection
      .prepare<readonly [rev: number | null]>(
        `SELECT n.rev FROM withdrawn n WHERE n.rev <= ? AND ${sql} ORDER BY n.rev DESC LIMIT 1`,
      )
      .get(upTo, ...values)?.[0]
  }

  /** The number of the last revision of a schema that changed what stored sets contain. */
  function lastCrosswalk(query: HarvestQuery, upTo: number): number | null | undefined {
    if (!query.storedSets) return undefined
    const { sql, values } = lastCrosswalkSql(upTo, visibleNow(query, 'n'), reportedLossSql(query, 'd'))
    return connection.prepare<readonly [rev: number | null]>(sql).get(...values)?.[0]
  }

  return {
    commitOf(query, head, upTo) {
      if (!query.readableBy) return head
      const changed = lastVisible(query, upTo)
      const other = Math.max(lastLoss(query, upTo) ?? 0, lastCrosswalk(query, upTo) ?? 0)
      const last = other > revisionOf(changed) ? commitOfRevision.get(other)?.[0] : changed
      return last as Oid | undefined
    },
  }
}

/** Counts the entries of lists. */
interface HarvestTotals {
  /**
   * The number of entries of a list.
   * @param past number of the last revision up to the point, if the list is read as it was at the point
   * @param isSeen says whether the caller saw the record at the point
   */
  total(
    query: HarvestQuery,
    past: number | undefined,
    parts: readonly ListPart[],
    isSeen: (rid: number) => boolean,
  ): number
}

export function openHarvestTotals(connection: Connection, statistics: ListStatistics): HarvestTotals {
  const ridsOf = ({ from, where, values }: ListSource) =>
    connection
      .prepare<readonly [rid: number]>(`SELECT n.rid FROM ${from} WHERE ${where.join(' AND ')}`)
      .all(...values)
      .map(([rid]) => rid)

  function count(source: ListSource): number {
    const { sql, values } = totalSql(source)
    return connection.prepare<readonly [n: number]>(sql).get(...values)?.[0] ?? 0
  }

  /** The number of current records in the list; undefined if the statistics do not tell it. */
  function knownTotal(query: HarvestQuery, past: number | undefined): number | undefined {
    const isFiltered = past !== undefined || query.id !== undefined || query.storedSets?.only !== undefined
    return isFiltered ? undefined : statistics.total('metadata', query)
  }

  return {
    total(query, past, parts, isSeen) {
      const sourcesOf = (sort: ListPart['sort']) =>
        parts.filter(part => part.sort === sort).map(({ source }) => source)
      return (
        (knownTotal(query, past) ?? sum(sourcesOf('live').map(count))) +
        sum(sourcesOf('deleted').map(count)) +
        sum(sourcesOf('shown again').map(source => ridsOf(source).filter(isSeen).length))
      )
    },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0)
}

/** Limit of the members of a set that is sorted for each part of a list. */
const maxSortedMembers = 10_000

/** The stored sets that a query names. */
interface RequestedSets {
  /**
   * Refuses a list that would use sets of another state than the query.
   * @throws ProblemError `unavailable` if the catalog was rebuilt, or the requested set was deleted, meanwhile
   */
  assertUnchanged(sets: NonNullable<HarvestQuery['storedSets']>, identity: string): void
  /** Whether a set is so small that sorting its members takes less time than finding them among all records. */
  isSmall(set: SetNumber): boolean
}

export function openRequestedSets(connection: Connection): RequestedSets {
  const existing = connection.prepare<readonly [number: number]>(
    'SELECT number FROM stored_set WHERE number = ? AND spec IS NOT NULL',
  )
  const members = connection.prepare<readonly [n: number]>(
    'SELECT count(*) FROM (SELECT 1 FROM membership WHERE number = ? AND until IS NULL LIMIT ?)',
  )

  return {
    assertUnchanged({ identity: build, only }, identity) {
      if (build === identity && (only === undefined || existing.get(only))) return
      throw new ProblemError('unavailable', 'The sets have changed meanwhile. Try again.', { retryAfter: 1 })
    },
    isSmall: set => (members.get(set, maxSortedMembers + 1)?.[0] ?? 0) <= maxSortedMembers,
  }
}

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
 * @param upTo number of the last revision up to the point
 */
export function rowsSeen(
  connection: Connection,
  parts: readonly ListPart[],
  isSeen: (rid: number) => boolean,
  query: HarvestQuery,
  upTo: number,
): readonly EntryRow[] {
  const seen: EntryRow[] = []
  for (let cursor = query.after; ; ) {
    const count = query.limit - seen.length
    const rows = rowsAfter(connection, parts, query, cursor, { count, upTo })
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
  { count, upTo }: { readonly count: number; readonly upTo: number },
): readonly EntryRow[] {
  const selects = parts.map(part => selectSql(part, cursor))
  // The sets of a lost record are those before the loss.
  const sets = storedSetsOf('p.rid', 'iif(p.isDeleted, p.rev - 1, ?)')
  return connection
    .prepare<EntryRow>(
      `SELECT *, ${storedSets ? sets : "'[]'"} FROM (
         ${selects.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY age DESC, id DESC LIMIT ?) p
       ORDER BY age DESC, id DESC`,
    )
    .all(...(storedSets ? [upTo, upTo] : []), ...selects.flatMap(({ values }) => values), count)
}

export function entryOf([, rev, id, age, isDeleted, , schema, type, storedSets]: EntryRow): HarvestEntry {
  const placement = {
    schema: schema ?? '',
    type: type ?? '',
    storedSets: JSON.parse(storedSets) as readonly string[],
  }
  return { id, time: -age, placement, ...(!isDeleted && { rev }) }
}
