import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { lastVisibleCommitSql } from '../../../catalog/lists/list-sql.js'
import type { ListStatistics } from '../../../catalog/lists/list-statistics.js'
import type { Oid } from '../../../core/value-types.js'
import { reportedLossSql } from './harvest-losses.js'
import type { HarvestQuery } from './harvest-query.js'
import { harvestOrder } from './list-parts.js'

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

  return {
    commitOf(query, head, upTo) {
      if (!query.readableBy) return head
      const changed = lastVisible(query, upTo)
      const lost = lastLoss(query, upTo)
      const last = lost && lost > revisionOf(changed) ? commitOfRevision.get(lost)?.[0] : changed
      return last as Oid | undefined
    },
  }
}
