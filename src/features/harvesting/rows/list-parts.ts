import {
  type AccessPath,
  currentList,
  type ListSource,
  orderOf,
  pastList,
  type SqlQuery,
  unchangedSince,
  withConditions,
  within,
} from '../../../catalog/lists/list-sql.js'
import { deletedSource, lostBeforeSql, lostSinceSource, purgedSource } from './harvest-losses.js'
import type { HarvestQuery } from './harvest-query.js'
import { arrivedSql, inStoredSetByItself, membersSql, type SetNumber } from './membership-sql.js'

/* The SQL of a list for harvesters, which is the union of several parts. */

export const harvestOrder = orderOf('metadata', { by: 'lastUpdate', direction: 'asc' })

/** How the records of a list are found; `members`: from the members of its stored set. */
type HarvestAccess = AccessPath | 'members'

export interface ListPart {
  readonly source: ListSource
  /** `shown again`: the records of {@link shownAgainSource}; `live`: others that the caller sees; `deleted`: losses. */
  readonly sort: 'live' | 'shown again' | 'deleted'
}

/**
 * The parts of a list.
 * @param past number of the last revision up to the point, if the list is read as it was at the point
 * @param upTo number of the last revision up to the point
 */
export function partsOf(
  query: HarvestQuery,
  past: number | undefined,
  upTo: number,
  access: HarvestAccess,
): readonly ListPart[] {
  const deleted = [
    deletedSource(query, past, upTo),
    ...(query.purged?.length ? [purgedSource(query, query.purged, upTo)] : []),
    ...(past === undefined ? [] : [lostSinceSource(query, past)]),
  ]
  const shownAgain = past === undefined ? [] : shownAgainSources(query, past)
  return [
    ...liveSources(query, past, upTo, access).map(source => ({ source, sort: 'live' }) as const),
    ...shownAgain.map(source => ({ source, sort: 'shown again' }) as const),
    ...deleted.map(source => ({ source, sort: 'deleted' }) as const),
  ]
}

/** Selects the entries of a part after a place of the list. */
export function selectSql({ source, sort }: ListPart, after: HarvestQuery['after']): SqlQuery {
  const { from, where, values } = after ? within(source, harvestOrder, '<', [-after.time, after.id]) : source
  const kinds = `${sort === 'deleted' ? 1 : 0} AS isDeleted, ${sort === 'shown again' ? 1 : 0} AS isShownAgain`
  return {
    sql: `SELECT n.rid AS rid, n.rev AS rev, n.id AS id, n.age AS age, ${kinds}, n.schema, n.type
      FROM ${from} WHERE ${where.join(' AND ')}`,
    values,
  }
}

/**
 * Records as they were at the point, of which the list reports a loss before the point, which were changed after the
 * point, and which the caller sees now. `rowsSeen` leaves out those that the caller did not see at the point: for them
 * the list reports the loss, and the next harvest has the records.
 */
function shownAgainSources(query: HarvestQuery, past: number): readonly ListSource[] {
  return pastSources(query, past).map(source => withConditions(source, lostBeforeSql(query, past)))
}

function pastSources(query: HarvestQuery, past: number): readonly ListSource[] {
  return withOwnFilters(query, past, pastList(past, 'metadata', query), (number, list) =>
    fromRows(arrivedSql(number, 'past', past), ' CROSS JOIN newest t ON t.rid = n.rid', list),
  )
}

/** The records that the caller sees now, as they were at the point, without those of {@link shownAgainSources}. */
function liveSources(
  query: HarvestQuery,
  past: number | undefined,
  upTo: number,
  access: HarvestAccess,
): readonly ListSource[] {
  const list = currentList('metadata', query, access === 'members' ? {} : access)
  const from = access === 'members' ? ofMembers(query, upTo, list) : list
  const current = withOwnFilters(query, upTo, from, number =>
    fromRows(arrivedSql(number, 'newest', upTo), '', currentList('metadata', query, {})),
  )
  if (past === undefined) return current
  const { sql, values } = lostBeforeSql(query, past)
  return [
    ...current.map(source => unchangedSince(past, source)),
    ...pastSources(query, past).map(source => withConditions(source, { sql: `NOT ${sql}`, values })),
  ]
}

/**
 * Adds the filters that only lists for harvesters have: by id and by stored set. The list of a stored set has two parts,
 * because records that came into it with a change of a crosswalk have the time of that change.
 * @param arrived makes the list of these records
 */
function withOwnFilters(
  { id, storedSets }: HarvestQuery,
  upTo: number,
  list: ListSource,
  arrived: (number: SetNumber, list: ListSource) => ListSource,
): readonly ListSource[] {
  const only = storedSets?.only
  const parts =
    only === undefined
      ? [list]
      : [withConditions(list, inStoredSetByItself(only, 'n', upTo)), arrived(only, list)]
  return parts.map(part =>
    withConditions(part, ...(id === undefined ? [] : [{ sql: 'n.id = ?', values: [id] }])),
  )
}

/** A list with its conditions, of the rows `n` that a query selects. @param joined SQL of the tables that are joined to them */
function fromRows(rows: SqlQuery, joined: string, { where, values }: ListSource): ListSource {
  return { from: `(${rows.sql}) n${joined}`, where, values: [...rows.values, ...values] }
}

/** The same list, read from the members of its stored set. */
function ofMembers({ storedSets }: HarvestQuery, upTo: number, { where, values }: ListSource): ListSource {
  const members = membersSql(storedSets?.only ?? 0, upTo)
  return {
    from: `(${members.sql}) q CROSS JOIN newest n ON n.rid = q.rid`,
    where,
    values: [...members.values, ...values],
  }
}
