import type { FeatureContext } from '../../http/open-feature.js'
import type { ExportsState } from '../exports/exports.js'

/** What the handlers of pages get. */
export interface PagesState extends ExportsState {
  /** What another feature adds to all pages, once it is open. */
  readonly shown: { searchBox: boolean }
}

export type PageContext = FeatureContext<PagesState>
