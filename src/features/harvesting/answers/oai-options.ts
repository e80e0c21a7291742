import type { FeatureContext } from '../../../http/open-feature.js'
import type { ExportsState } from '../../exports/exports.js'
import type { Harvesting } from '../lists/harvest.js'
import type { StoredSetSource } from '../lists/harvest-sets.js'

/** Settings of the interface for harvesters. */
export interface OaiOptions {
  /** E-mail address of the administrator, which the protocol demands. */
  readonly admin: string
  /** Domain name in identifiers, `oai:<namespace>:<id>`; undefined: identifiers are the ids. */
  readonly namespace?: string
  /** Usual number of items in one answer. */
  readonly page: number
  readonly hasSets: boolean
}

/** What harvesting opens. */
export interface HarvestingState extends ExportsState {
  readonly harvesting: Harvesting
  /** Undefined: nothing can be harvested, and every request is answered with 404. */
  readonly settings: OaiOptions | undefined
  /** Lets harvesters ask for sets that are defined elsewhere. Call it while features are opened. */
  useStoredSets(sets: StoredSetSource): void
}

export type HarvestingContext = FeatureContext<HarvestingState>
