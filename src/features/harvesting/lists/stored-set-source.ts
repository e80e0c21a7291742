import type { HistoryPoint } from '../../../core/history-point.js'
import type { SetNumber } from '../rows/membership-sql.js'
import type { HarvestSet } from './harvest-sets.js'

/** A point of the history up to which all revisions were compared with all sets. */
export interface ComparedState {
  /** Identifies the build of the catalog that the numbers belong to. */
  readonly identity: string
  readonly newest: HistoryPoint
  /** The numbers of the sets by name. */
  readonly numbers: ReadonlyMap<string, SetNumber>
}

/** Sets whose records are stored in the catalog. */
export interface StoredSetSource {
  /** The sets, without those that are known to be faulty. */
  list(): Promise<readonly HarvestSet[]>
  /**
   * Waits until new revisions have been compared with the sets. The comparison goes on after the wait.
   * @param milliseconds limit of the wait; `brief`: a moment, or no wait while there is much to compare
   * @returns undefined if there is no set, or no commit; `behind` if the wait ended before the comparison
   * @throws ProblemError `unavailable` if the comparison fails
   */
  compared(
    milliseconds: number | 'brief',
    signal: AbortSignal | undefined,
  ): Promise<ComparedState | 'behind' | undefined>
}

export const noStoredSets: StoredSetSource = { list: async () => [], compared: async () => undefined }
