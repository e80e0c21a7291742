import { defineFeature } from '../../feature.js'
import { harvestingOf } from '../harvesting/feature.js'

/** Sets for harvesters that searches in `metastore.json` define. @see docs/use/harvesting.md */
export const storedSets = defineFeature({
  name: 'stored-sets',
  needs: ['harvesting', 'search'],
  async open(parts) {
    const { openConfiguredSets } = await import('./stored-sets.js')
    const sets = openConfiguredSets(parts)
    harvestingOf(parts).useStoredSets(sets)
    return { close: sets.close }
  },
})
