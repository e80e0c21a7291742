import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { Connection } from '../database/sqlite-connection.js'
import {
  deletedSource,
  lostBeforeSql,
  lostSinceSource,
  purgedSource,
  reportedLossSql,
} from './harvest-losses.js'
import type { HarvestEntry, HarvestPage, HarvestQuery } from './harvest-query.js'
import {
  currentList,
  type ListSource,
  lastVisibleCommitSql,
  orderOf,
  pastList,
  type SqlQuery,
  totalSql,
  unchangedSince,
  withConditions,
  within,
} from './list-sql.js'
import { openListStatistics } from './list-statistics.js'
import { inStoredSet, membersSql, type SetNumber, storedSetsOf } from './membership-sql.js'
import type { PointInTimeTables } from './point-in-time.js'
import { openVisibleAtPoint } from './visible-at-point.js'

/** Lists for harvesters: metadata that the caller sees, and the losses of metadata that the caller saw before. */
export interface HarvestLists {
  /**
   * A part of a list, oldest `lastUpdate` first; equal times are ordered by id, descending.
   * @throws ProblemError `not-found` for a point outside the served history
   */
  harvest(query: HarvestQuery): HarvestPage
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

const order = orderOf('metadata', { by: 'lastUpdate', direction: 'asc' })

export function openHarvestLists(
  connection: Connection,
  snapshots: PointInTimeTables,
  snapshot: <T>(job: () => T) => T,
): HarvestLists {
  const statistics = openListStatistics(connection)
  const seenAtPoint = openVisibleAtPoint(connection)
  const sql = {
    state: connection.prepare<readonly [head: string | null, identity: string, latest: number]>(
      'SELECT head, identity, (SELECT coalesce(max(rev), 0) FROM revision) FROM state',
    ),
    commitOf: connection.prepare<readonly [oid: string]>('SELECT oid FROM revision WHERE rev = ?'),
    revisionIn: connection.prepare<readonly [rev: number]>('SELECT rev FROM chain WHERE oid = ?'),
    hasSet: connection.prepare<readonly [number: number]>(
      'SELECT number FROM stored_set WHERE number = ? AND spec IS NOT NULL',
    ),
    members: connection.prepare<readonly [n: number]>(
      'SELECT count(*) FROM (SELECT 1 FROM membership WHERE number = ? AND until IS NULL LIMIT ?)',
    ),
  }

  const ridsOf = ({ from, where, values }: ListSource) =>
    connection
      .prepare<readonly [rid: number]>(`SELECT n.rid FROM ${from} WHERE ${where.join(' AND ')}`)
      .all(...values)
      .map(([rid]) => rid)

  const count = ({ sql: text, values }: SqlQuery) =>
    connection.prepare<readonly [n: number]>(text).get(...values)?.[0] ?? 0

  /** The last commit that changed the caller's list; later commits must not be revealed. Undefined if there is none. */
  function commitOf(query: HarvestQuery, head: Oid | undefined, latest: number): Oid | undefined {
    if (!query.readableBy) return head
    const access = statistics.accessPath('metadata', query, order)
    const visible = lastVisibleCommitSql(latest, query, access)
    const [changed] = connection.prepare<readonly [oid: string]>(visible.sql).get(...visible.values) ?? []
    const told = reportedLossSql(query, 'n')
    const lost = connection
      .prepare<readonly [rev: number | null]>(
        `SELECT n.rev FROM withdrawn n WHERE n.rev <= ? AND ${told.sql} ORDER BY n.rev DESC LIMIT 1`,
      )
      .get(latest, ...told.values)?.[0]
    const revOf = (oid: string | undefined) => (oid === undefined ? 0 : (sql.revisionIn.get(oid)?.[0] ?? 0))
    const last = lost && lost > revOf(changed) ? sql.commitOf.get(lost)?.[0] : changed
    return last as Oid | undefined
  }

  function harvest(query: HarvestQuery): HarvestPage {
    const [head, identity, latest = 0] = sql.state.get() ?? [null, '', 0]
    const { storedSets } = query
    if (storedSets) checkSets(storedSets, identity)
    const point = query.at ?? storedSets?.newest
    const upto = point ? snapshots.revisionAt(point) : latest
    const past = point && snapshots.prepare(upto, identity) ? upto : undefined
    const hasFewMembers = storedSets?.only !== undefined && isSmall(storedSets.only)
    const live = liveSources(
      query,
      past,
      hasFewMembers ? 'members' : statistics.accessPath('metadata', query, order),
    )
    const deleted = [
      deletedSource(query, past, upto),
      ...(query.purged?.length ? [purgedSource(query, query.purged)] : []),
    ]
    const lostSince = past === undefined ? [] : [lostSinceSource(query, past)]
    const shownAgain = past === undefined ? [] : [shownAgainSource(query, past)]
    const parts = [
      ...live.map(source => ({ source, sort: 'live' }) as const),
      ...shownAgain.map(source => ({ source, sort: 'shown again' }) as const),
      ...[...deleted, ...lostSince].map(source => ({ source, sort: 'deleted' }) as const),
    ]
    const readAfter = (place: HarvestQuery['after'], count: number) => {
      const selects = parts.map(part => selectSql(part, place))
      return connection
        .prepare<EntryRow>(
          `SELECT *, ${storedSets ? storedSetsOf('p.rid', 'p.rev - p.isDeleted') : "'[]'"} FROM (
             ${selects.map(({ sql: text }) => text).join(' UNION ALL ')} ORDER BY age DESC, id DESC LIMIT ?) p
           ORDER BY age DESC, id DESC`,
        )
        .all(...selects.flatMap(({ values }) => values), count)
    }
    const isSeen = seenAtPoint(upto, query)
    const rows = rowsSeen(readAfter, isSeen, query)
    const newest = storedSets?.newest.commit ?? ((head ?? undefined) as Oid | undefined)
    const commit = query.at?.commit ?? commitOf(query, newest, upto)
    return {
      identity,
      entries: rows.map(entryOf),
      ...(commit && { commit }),
      ...(query.counted && {
        total:
          (totalOf(query, past) ?? sum(live.map(source => count(totalSql(source))))) +
          sum([...deleted, ...lostSince].map(source => count(totalSql(source)))) +
          sum(shownAgain.map(source => ridsOf(source).filter(isSeen).length)),
      }),
    }
  }

  /** The number of current records in the list; undefined if the statistics do not tell it. */
  function totalOf(query: HarvestQuery, past: number | undefined): number | undefined {
    const isFiltered = past !== undefined || query.id !== undefined || query.storedSets?.only !== undefined
    return isFiltered ? undefined : statistics.total('metadata', query)
  }

  /** @throws ProblemError `unavailable` if the catalog was rebuilt, or the requested set was deleted, meanwhile */
  function checkSets(
    { identity: build, only }: NonNullable<HarvestQuery['storedSets']>,
    identity: string,
  ): void {
    if (build === identity && (only === undefined || sql.hasSet.get(only))) return
    throw new ProblemError('unavailable', 'The sets have changed meanwhile. Try again.', { retryAfter: 1 })
  }

  /** Whether a set is so small that sorting its members takes less time than finding them among all records. */
  function isSmall(set: SetNumber): boolean {
    return (sql.members.get(set, maxSortedMembers + 1)?.[0] ?? 0) <= maxSortedMembers
  }

  return { harvest: query => snapshot(() => harvest(query)) }
}

/** Limit of the members of a set that is sorted for each part of a list. */
const maxSortedMembers = 10_000

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0)
}

function entryOf([, rev, id, age, isDeleted, , schema, type, storedSets]: EntryRow): HarvestEntry {
  const placement = {
    schema: schema ?? '',
    type: type ?? '',
    storedSets: JSON.parse(storedSets) as readonly string[],
  }
  return { id, time: -age, placement, ...(!isDeleted && { rev }) }
}

interface ListPart {
  readonly source: ListSource
  /** `shown again`: the records of {@link shownAgainSource}; `live`: others that the caller sees; `deleted`: losses. */
  readonly sort: 'live' | 'shown again' | 'deleted'
}

function selectSql({ source, sort }: ListPart, after: HarvestQuery['after']): SqlQuery {
  const { from, where, values } = after ? within(source, order, '<', [-after.time, after.id]) : source
  const kinds = `${sort === 'deleted' ? 1 : 0} AS isDeleted, ${sort === 'shown again' ? 1 : 0} AS isShownAgain`
  return {
    sql: `SELECT n.rid AS rid, n.rev AS rev, n.id AS id, n.age AS age, ${kinds}, n.schema, n.type
      FROM ${from} WHERE ${where.join(' AND ')}`,
    values,
  }
}

/** Reads rows, and leaves out those of {@link shownAgainSource} that the caller did not see at the point. */
function rowsSeen(
  readAfter: (place: HarvestQuery['after'], count: number) => readonly EntryRow[],
  isSeen: (rid: number) => boolean,
  { after, limit }: HarvestQuery,
): readonly EntryRow[] {
  const seen: EntryRow[] = []
  for (let place = after; ; ) {
    const count = limit - seen.length
    const rows = readAfter(place, count)
    for (const row of rows) {
      const [rid, , id, age, , isShownAgain] = row
      place = { time: -age, id }
      if (!isShownAgain || isSeen(rid)) seen.push(row)
    }
    if (rows.length < count || seen.length === limit) return seen
  }
}

/**
 * Records as they were at the point, of which the list reports a loss before the point, which were changed after the
 * point, and which the caller sees now. {@link rowsSeen} leaves out those that the caller did not see at the point: for
 * them the list reports the loss, and the next harvest has the records.
 */
function shownAgainSource(query: HarvestQuery, past: number): ListSource {
  return withConditions(pastSource(query, past), lostBeforeSql(query, past))
}

function pastSource(query: HarvestQuery, past: number): ListSource {
  return withOwnFilters(query, pastList(past, 'metadata', query))
}

/** The records that the caller sees now, as they were at the point, without those of {@link shownAgainSource}. */
function liveSources(
  query: HarvestQuery,
  past: number | undefined,
  access: Parameters<typeof currentList>[2] | 'members',
): readonly ListSource[] {
  const list = currentList('metadata', query, access === 'members' ? {} : access)
  const current = withOwnFilters(query, access === 'members' ? ofMembers(query, list) : list)
  if (past === undefined) return [current]
  const { sql, values } = lostBeforeSql(query, past)
  return [
    unchangedSince(past, current),
    withConditions(pastSource(query, past), { sql: `NOT ${sql}`, values }),
  ]
}

/** Adds the filters that only lists for harvesters have: by id and by stored set. */
function withOwnFilters({ id, storedSets }: HarvestQuery, list: ListSource): ListSource {
  return withConditions(
    list,
    ...(id === undefined ? [] : [{ sql: 'n.id = ?', values: [id] }]),
    ...(storedSets?.only === undefined ? [] : [inStoredSet(storedSets.only, 'n')]),
  )
}

/** The same list, read from the members of its stored set. */
function ofMembers({ storedSets }: HarvestQuery, { where, values }: ListSource): ListSource {
  const members = membersSql(storedSets?.only ?? 0)
  return {
    from: `(${members.sql}) q CROSS JOIN newest n ON n.rid = q.rid`,
    where,
    values: [...members.values, ...values],
  }
}
