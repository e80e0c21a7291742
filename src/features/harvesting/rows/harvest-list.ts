import { openListStatistics } from '../../../catalog/lists/list-statistics.js'
import { openVisibleAtPoint } from '../../../catalog/point-in-time/point-in-time.js'
import type { OpenRowReader } from '../../../catalog/read/row-readers.js'
import type { Oid } from '../../../core/value-types.js'
import { openHarvestCommits } from './harvest-commits.js'
import type { HarvestPage, HarvestQuery } from './harvest-query.js'
import { entryOf, rowsSeen } from './harvest-rows.js'
import { openHarvestTotals } from './harvest-totals.js'
import { harvestOrder, partsOf } from './list-parts.js'
import { openRequestedSets } from './requested-sets.js'

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

  return query => snapshot(() => harvest(query))
}
