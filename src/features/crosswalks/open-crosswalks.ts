import { LRUCache } from 'lru-cache'
import type { CoreParts } from '../../compose/compose.js'
import { unlessDamaged } from '../../core/problem.js'
import type { Revision } from '../../core/records/revision.js'
import type { OpenFeature } from '../../http/open-feature.js'
import type { Transactions } from '../../service/updates/submit-update.js'
import type { SchemaBundle } from '../../validation/validator.js'
import type { ExportsState } from '../exports/exports.js'
import { exportsOf } from '../exports/feature.js'
import { crosswalkWithFaults } from './check-crosswalk.js'
import type { CrosswalkFault } from './crosswalk/crosswalk-rules.js'
import { crosswalkSection } from './crosswalk-section.js'
import { type Descriptions, openDescriptions } from './open-descriptions.js'
import { stateKey } from './stored-schema-statements.js'

/** What the routes of the feature work with. */
export interface CrosswalksState extends ExportsState {
  readonly descriptions: Descriptions
  /** A schema with everything that it refers to. */
  bundleOf(schema: Revision): Promise<SchemaBundle>
  readonly readCommitted: Transactions['readCommitted']
}

/** Opens the feature in a server. */
export function openCrosswalks(parts: CoreParts): OpenFeature<CrosswalksState> {
  const descriptions = openDescriptions(parts)
  const bundleOf = (schema: Revision) => parts.bundles.ofStored(parts.catalog.committed, schema)
  /** Faults of crosswalks, by the states of schemas: to find them may need many files. */
  const known = new LRUCache<string, readonly CrosswalkFault[]>({ max: 100 })
  return {
    state: { ...exportsOf(parts), descriptions, bundleOf, readCommitted: parts.transactions.readCommitted },
    describeEach: descriptions.describeEach,
    async sections(revision) {
      const { crosswalk } = revision.record
      if (revision.kind === 'metadata' || crosswalk === undefined) return []
      const key = stateKey(revision)
      const faults =
        known.get(key) ??
        (await unlessDamaged(() => crosswalkWithFaults(crosswalk, () => bundleOf(revision))))?.faults
      if (faults) known.set(key, faults)
      return [crosswalkSection(crosswalk, faults ?? [])]
    },
  }
}
