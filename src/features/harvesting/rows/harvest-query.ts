import type { Catalog } from '../../../catalog/catalog.js'
import type { Client } from '../../../core/access-control.js'
import type { HistoryPoint } from '../../../core/history-point.js'
import type { ListQuery } from '../../../core/records/list-query.js'
import type { Oid } from '../../../core/value-types.js'
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
  /** The stored sets whose names entries get; default: none. */
  readonly storedSets?: {
    /** The identity of the build of the catalog in which the numbers of the sets are valid. */
    readonly identity: string
    /** The point of a list that names none: the last commit that was compared with all sets. */
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
  /** The identity of the build of the catalog in which the row numbers are valid. */
  readonly identity: string
  readonly entries: readonly HarvestEntry[]
  /** The point of the list; for a caller with limited rights the last commit that changed its list. */
  readonly commit?: Oid
  readonly total?: number
}

/** A record, or the loss of a record. */
export interface HarvestEntry {
  readonly id: string
  /**
   * Time of the revision or of the loss, in milliseconds. A loss after the point of the list has the time of the lost
   * revision: a harvester continues from the last time in the list, and misses nothing if no time is after the point.
   */
  readonly time: number
  /** Row number of the revision; undefined for a loss. */
  readonly rev?: number
  /** Schema, document type and stored sets of the revision, or of the lost revision. Empty for a purged record. */
  readonly placement: {
    readonly schema: string
    readonly type: string
    readonly storedSets: readonly string[]
  }
}

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
