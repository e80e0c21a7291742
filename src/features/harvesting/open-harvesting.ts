import type { CoreParts } from '../../compose/compose.js'
import type { OpenFeature } from '../../http/open-feature.js'
import { exportsOf } from '../exports/feature.js'
import type { HarvestingState, OaiOptions } from './answers/oai-options.js'
import { openHarvesting } from './lists/harvest.js'
import { noStoredSets } from './lists/harvest-sets.js'
import { openHarvestCatalog } from './rows/harvest-query.js'

/** Opens the interface for harvesters. @param settings undefined: nothing can be harvested */
export function openHarvestingFeature(
  parts: CoreParts,
  settings: OaiOptions | undefined,
): OpenFeature<HarvestingState> {
  const { catalog, transactions, documents, repository, connection } = parts
  let storedSets = noStoredSets
  const harvesting = openHarvesting({
    ...{ transactions, documents },
    catalog: openHarvestCatalog(catalog),
    storedSets: () => storedSets,
    history: repository.history,
    objects: repository.objects,
    completeUntil: connection?.completeUntil,
  })
  return {
    state: {
      ...{ harvesting, settings, ...exportsOf(parts) },
      useStoredSets(sets) {
        storedSets = sets
      },
    },
    async prepare() {
      // Determines which records are in stored sets. In a large repository without catalog, that takes minutes.
      if (settings?.hasSets) await harvesting.storedSets()
    },
  }
}
