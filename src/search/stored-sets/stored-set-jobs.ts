import type { Oid } from '../../core/value-types.js'
import type { SearchPlace } from '../index/index-thread-jobs.js'

/** A set of metadata that a search defines. */
export interface StoredSearch {
  /** The name of the set. */
  readonly spec: string
  /** The text of the search. @see parseQueryText */
  readonly q: string
}

export interface CompareJob extends Pick<SearchPlace, 'catalog' | 'gitDir'> {
  readonly do: 'compare'
  readonly searches: readonly StoredSearch[]
  /** Documents that the thread did not find; undefined for a document that the repository does not have. */
  readonly documents: ReadonlyMap<Oid, Uint8Array | undefined>
}

export type StoredSetJob = CompareJob | { readonly do: 'disconnect' }

/** The state of the sets after a job. */
export interface SetsState {
  /** The build of the catalog that the thread has read. */
  readonly identity: string
  /** The last revision that was compared with all sets. */
  readonly through: number
  /** The numbers of the sets in the catalog, by name. */
  readonly numbers: ReadonlyMap<string, number>
  /** Why a search defines no set, by name of the set. */
  readonly faults: ReadonlyMap<string, string>
  /** There may be more to do. */
  readonly more: boolean
  /** Documents that the thread cannot find. The job did nothing without them. */
  readonly missing: readonly Oid[]
}
