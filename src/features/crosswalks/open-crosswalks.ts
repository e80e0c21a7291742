import type { CoreParts } from '../../compose/compose.js'
import { unlessDamaged } from '../../core/problem.js'
import type { OpenFeature } from '../../http/open-feature.js'
import type { Transactions } from '../../service/updates/submit-update.js'
import type { ExportsState } from '../exports/exports.js'
import { exportsOf } from '../exports/feature.js'
import { crosswalkWithFaults } from './check-crosswalk.js'
import { crosswalkSection } from './crosswalk-section.js'
import { type Descriptions, openDescriptions } from './open-descriptions.js'

/** What the routes of the feature work with. */
export interface CrosswalksState extends ExportsState {
  readonly descriptions: Descriptions
  readonly readCommitted: Transactions['readCommitted']
}

/** Opens the feature in a server. */
export function openCrosswalks(parts: CoreParts): OpenFeature<CrosswalksState> {
  const descriptions = openDescriptions(parts)
  return {
    state: { ...exportsOf(parts), descriptions, readCommitted: parts.transactions.readCommitted },
    describeEach: descriptions.describeEach,
    async sections(revision) {
      const { crosswalk } = revision.record
      if (revision.kind === 'metadata' || crosswalk === undefined) return []
      const document = () => parts.readDocument(revision)
      const checked = await unlessDamaged(() =>
        crosswalkWithFaults(crosswalk, { type: revision.documentType, document }),
      )
      return [crosswalkSection(crosswalk, checked?.faults ?? [])]
    },
  }
}
