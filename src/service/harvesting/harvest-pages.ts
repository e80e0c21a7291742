import type { HarvestReader } from '../../catalog/catalog.js'
import type { HarvestPage, HarvestQuery } from '../../catalog/lists/harvest-query.js'
import type { Client } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { StoredSearch } from '../../search/stored-sets/stored-set-jobs.js'
import type { StoredSets } from '../../search/stored-sets/stored-sets.js'
import type { Selection } from './harvest-sets.js'
import type { PurgedRecords } from './purge-notices.js'

/** Asks for a part of the list of all records, or of a selection of them. */
export type HarvestPageQuery = Omit<HarvestQuery, 'purged' | 'storedSets'> & Selection

/** Reads parts of lists, with what the catalog alone does not have: stored sets and purged records. */
export interface HarvestPages extends Pick<HarvestReader, 'revisions'> {
  /**
   * A stored set that does not exist has no entries. Entries list the stored sets that they are in, if these are known.
   * @throws ProblemError `not-found` for a point outside the served history; `unavailable` while it is not known which
   *   records are in a stored set
   */
  page(query: HarvestPageQuery, client: Client | undefined): Promise<HarvestPage>
}

/** Limit in milliseconds of the wait of a list of a stored set, until it is known which records are in the set. */
const maxWaitForSets = 20_000

export function openHarvestPages(
  harvest: HarvestReader,
  purged: PurgedRecords,
  storedSets: Pick<StoredSets<StoredSearch>, 'compared'>,
): HarvestPages {
  async function setsOf(storedSet: string | undefined, client: Client | undefined) {
    const wait = storedSet === undefined ? 'brief' : maxWaitForSets
    const known = await storedSets.compared(wait, client?.signal)
    if (known !== 'behind') return known
    if (storedSet === undefined) return undefined
    throw new ProblemError(
      'unavailable',
      'It is being determined which records are in the set. Try again later.',
      { retryAfter: 30 },
    )
  }

  return {
    revisions: harvest.revisions,
    async page({ storedSet, ...query }, client) {
      const known = await setsOf(storedSet, client)
      const only = storedSet === undefined ? undefined : known?.numbers.get(storedSet)
      if (storedSet !== undefined && only === undefined) return { identity: '', entries: [] }
      const sets = known && {
        identity: known.identity,
        newest: known.newest,
        ...(only !== undefined && { only }),
      }
      return await harvest.page(
        { ...query, purged: await purged(), ...(sets && { storedSets: sets }) },
        client,
      )
    },
  }
}
