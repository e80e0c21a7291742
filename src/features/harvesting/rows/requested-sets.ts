import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { ProblemError } from '../../../core/problem.js'
import type { HarvestQuery } from './harvest-query.js'
import type { SetNumber } from './membership-sql.js'

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
