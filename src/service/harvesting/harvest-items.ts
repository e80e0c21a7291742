import type { HarvestReader } from '../../catalog/catalog.js'
import type { HarvestEntry } from '../../catalog/lists/harvest-query.js'
import type { Revision } from '../../core/records/revision.js'
import type { Placement } from './harvest-sets.js'

/** A record of a list for harvesters, or the header of a record that is deleted for the caller. */
export interface HarvestItem {
  readonly id: string
  /** Time of the last change, in milliseconds since 1970. */
  readonly time: number
  readonly placement: Placement
  /** The revision of the record; undefined for an item that is deleted. */
  readonly revision?: Revision
}

/**
 * Reads items without parsing their records: the first access to the record of a revision parses it.
 * @param identity of the page that has the entries
 * @throws ProblemError `unavailable` if the catalog was rebuilt meanwhile
 */
export function harvestItems(
  harvest: Pick<HarvestReader, 'revisions'>,
  identity: string,
  entries: readonly HarvestEntry[],
): readonly HarvestItem[] {
  const revs = entries.flatMap(({ rev }) => rev ?? [])
  const revisions = harvest.revisions(identity, revs)
  const byRow = new Map(revs.map((rev, at) => [rev, revisions[at]]))
  return entries.map(({ id, time, placement, rev }) => {
    const revision = rev === undefined ? undefined : byRow.get(rev)
    return { id, time, placement, ...(revision && { revision }) }
  })
}
