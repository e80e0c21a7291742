import type { Oid } from '../../core/value-types.js'
import type { Connection } from '../database/sqlite-connection.js'
import { openListStatistics } from '../lists/list-statistics.js'
import { openVisibleAtPoint, type PointInTimeTables } from '../point-in-time/point-in-time.js'
import { openHarvestCommits } from './harvest-commits.js'
import type { HarvestPage, HarvestQuery } from './harvest-query.js'
import { entryOf, rowsSeen } from './harvest-rows.js'
import { openHarvestTotals } from './harvest-totals.js'
import { harvestOrder, partsOf } from './list-parts.js'
import { openRequestedSets } from './requested-sets.js'

/** Lists for harvesters: metadata that the caller sees, and the losses of metadata that the caller saw before. */
export interface HarvestLists {
  /**
   * A part of a list, oldest `lastUpdate` first; equal times are ordered by id, descending.
   * @throws ProblemError `not-found` for a point outside the served history
   */
  harvest(query: HarvestQuery): HarvestPage
}

export function openHarvestLists(
  connection: Connection,
  snapshots: PointInTimeTables,
  snapshot: <T>(job: () => T) => T,
): HarvestLists {
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
    const rows = rowsSeen(connection, parts, isSeen, query)
    const newest = storedSets?.newest.commit ?? ((head ?? undefined) as Oid | undefined)
    const commit = query.at?.commit ?? commits.commitOf(query, newest, upTo)
    return {
      identity,
      entries: rows.map(entryOf),
      ...(commit && { commit }),
      ...(query.counted && { total: totals.total(query, past, parts, isSeen) }),
    }
  }

  return { harvest: query => snapshot(() => harvest(query)) }
}
