import type { Client } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import type { Revision } from '../../../core/records/revision.js'
import type { Oid } from '../../../core/value-types.js'
import type { History } from '../../../store/commit-history/first-parent-history.js'
import type { ObjectReader } from '../../../store/objects/object-reader.js'
import { type PurgedRecord, readPurgedRecords } from '../../../store/repository/purged-records.js'
import type { HarvestCatalog, HarvestEntry, HarvestPage, HarvestQuery } from '../rows/harvest-query.js'
import type { Placement, Selection, StoredSetSource } from './harvest-sets.js'

/** Asks for a part of the list of all records, or of a selection of them. */
export type HarvestPageQuery = Omit<HarvestQuery, 'purged' | 'storedSets'> & Selection

/** A record of a list for harvesters, or the header of a record that is deleted for the caller. */
export interface HarvestItem {
  readonly id: string
  /** Time of the last change, in milliseconds since 1970. */
  readonly time: number
  readonly placement: Placement
  /** The revision of the record; undefined for an item that is deleted. */
  readonly revision?: Revision
}

/** Reads parts of lists, with what the catalog alone does not have: stored sets and purged records. */
export interface HarvestPages {
  /**
   * A stored set that does not exist has no entries. Entries list the stored sets that they are in, if these are known.
   * @throws ProblemError `not-found` for a point outside the served history; `unavailable` while it is not known which
   *   records are in a stored set
   */
  page(query: HarvestPageQuery, client: Client | undefined): Promise<HarvestPage>
  /**
   * Reads items without parsing their records: the first access to the record of a revision parses it.
   * @param identity of the page that has the entries
   * @throws ProblemError `unavailable` if the catalog was rebuilt meanwhile
   */
  items(identity: string, entries: readonly HarvestEntry[]): readonly HarvestItem[]
}

export interface HarvestPagesOptions {
  readonly catalog: Pick<HarvestCatalog, 'harvest' | 'head' | 'rows'>
  readonly objects: Pick<ObjectReader, 'read'>
  readonly history: Pick<History, 'commit'>
  readonly storedSets: () => Pick<StoredSetSource, 'compared'>
}

/** Limit in milliseconds of the wait of a list of a stored set, until it is known which records are in the set. */
const maxWaitForSets = 20_000

export function openHarvestPages(options: HarvestPagesOptions): HarvestPages {
  const { catalog, storedSets } = options
  const purged = openPurgedRecords(options)

  async function setsOf(storedSet: string | undefined, client: Client | undefined) {
    const wait = storedSet === undefined ? 'brief' : maxWaitForSets
    const known = await storedSets().compared(wait, client?.signal)
    if (known !== 'behind') return known
    if (storedSet === undefined) return undefined
    throw new ProblemError(
      'unavailable',
      'It is being determined which records are in the set. Try again later.',
      { retryAfter: 30 },
    )
  }

  return {
    async page({ storedSet, ...query }, client) {
      const known = await setsOf(storedSet, client)
      const only = storedSet === undefined ? undefined : known?.numbers.get(storedSet)
      if (storedSet !== undefined && only === undefined) return { identity: '', entries: [] }
      const sets = known && {
        identity: known.identity,
        newest: known.newest,
        ...(only !== undefined && { only }),
      }
      return await catalog.harvest(
        { ...query, purged: await purged(), ...(sets && { storedSets: sets }) },
        client,
      )
    },

    items(identity, entries) {
      const revs = entries.flatMap(({ rev }) => rev ?? [])
      const revisions = catalog.rows.revisions(identity, revs)
      const byRow = new Map(revs.map((rev, index) => [rev, revisions[index]]))
      return entries.map(({ id, time, placement, rev }) => {
        const revision = rev === undefined ? undefined : byRow.get(rev)
        return { id, time, placement, ...(revision && { revision }) }
      })
    },
  }
}

/**
 * Reads the purged records at the newest commit, and again only if there is a new commit. Lists report them to
 * harvesters as deleted.
 */
function openPurgedRecords({ catalog, objects, history }: HarvestPagesOptions) {
  let known: { readonly head: Oid; readonly records: Promise<readonly PurgedRecord[]> } | undefined
  return async (): Promise<readonly PurgedRecord[]> => {
    const head = catalog.head()
    if (head === undefined) return []
    if (known?.head !== head) {
      const records = readPurgedRecords(head, objects, history)
      known = { head, records }
      // A failed read is repeated.
      records.catch(() => {
        if (known?.records === records) known = undefined
      })
    }
    return await known.records
  }
}
