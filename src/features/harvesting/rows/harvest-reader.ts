import type { Catalog } from '../../../catalog/catalog.js'
import type { Client } from '../../../core/access-control.js'
import type { HarvestPage, HarvestQuery } from './harvest-query.js'

/** The committed state, with lists for harvesters. */
export interface HarvestCatalog
  extends Pick<Catalog, 'committed' | 'chain' | 'head' | 'rows' | 'goneSchemas'> {
  /**
   * A part of a list, oldest `lastUpdate` first; equal times are ordered by id, descending. Another thread finds it.
   * @throws ProblemError `not-found` for a point outside the served history
   */
  harvest(query: HarvestQuery, client: Client | undefined): Promise<HarvestPage>
}

export function openHarvestCatalog({ committed, chain, head, rows, goneSchemas }: Catalog): HarvestCatalog {
  const script = new URL('./harvest-list.js', import.meta.url)
  return {
    ...{ committed, chain, head, rows, goneSchemas },
    harvest: async (query, client) => (await rows.read(script, query, client)) as HarvestPage,
  }
}
