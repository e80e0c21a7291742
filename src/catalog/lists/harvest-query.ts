import type { HistoryPoint } from '../../core/history-point.js'
import type { ListQuery } from '../../core/records/list-query.js'
import type { Oid } from '../../core/value-types.js'
import type { SetNumber } from './membership-sql.js'

/** A part of a list for harvesters. `from` and `until` are given together or not at all, ends included. */
export interface HarvestQuery
  extends Pick<
    ListQuery,
    'schemaIds' | 'documentTypes' | 'from' | 'until' | 'readableBy' | 'readableIds' | 'readsUnrevoked'
  > {
  /** Records that were purged from the history. Every list reports them to every caller. */
  readonly purged?: readonly { readonly id: string; readonly time: number }[]
  /** Only this record. */
  readonly id?: string
  /** The point of history of the list; default: now. */
  readonly at?: HistoryPoint
  /** The stored sets that entries are named with; default: none. */
  readonly storedSets?: {
    /** The build of the catalog that the numbers belong to. */
    readonly identity: string
    /** The state of a list without a point of history: the last commit that was compared with all sets. */
    readonly newest: HistoryPoint
    /** Only entries of this set. */
    readonly only?: SetNumber
  }
  /** The last entry of the part before. @param time milliseconds */
  readonly after?: { readonly time: number; readonly id: string }
  readonly limit: number
  /** Count all entries. */
  readonly counted?: boolean
}

export interface HarvestPage {
  /** The build of the catalog, in which row numbers are valid. */
  readonly identity: string
  readonly entries: readonly HarvestEntry[]
  /** The point of the list; for a caller with limited rights the last commit that changed its list. */
  readonly commit?: Oid
  readonly total?: number
}

/** A record, or the loss of one. */
export interface HarvestEntry {
  readonly id: string
  /**
   * Milliseconds: of the revision, or of the loss. A loss after the point of the list has the time of the state that was
   * lost: no time of a list is after its point, so that a harvester that continues from the last time misses nothing.
   */
  readonly time: number
  /** Row number of the revision; undefined for a loss. */
  readonly rev?: number
  /** Schema and document type: of the revision, or of the state that was lost. Empty for a purged record. */
  readonly placement: {
    readonly schema: string
    readonly type: string
    readonly storedSets: readonly string[]
  }
}
