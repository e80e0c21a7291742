import type { Oid } from '../../core/value-types.js'
import type { SearchPlace } from '../search/index/index-thread-jobs.js'

/** A search in `metastore.json` that defines a set of metadata records for OAI-PMH. */
export interface StoredSearch {
  /** The name of the set. */
  readonly spec: string
  /** The text of the search. @see parseQueryText */
  readonly q: string
}

export interface CompareJob extends Pick<SearchPlace, 'catalog' | 'gitDir' | 'describeModule'> {
  readonly do: 'compare'
  readonly searches: readonly StoredSearch[]
  /** Documents that the thread has reported as missing; undefined for a document that the repository does not have. */
  readonly documents: ReadonlyMap<Oid, Uint8Array | undefined>
}

export type StoredSetJob = CompareJob | { readonly do: 'disconnect' }

/** How far the sets have been compared after a job. */
export interface SetsState {
  /** Identifies the build of the catalog that the thread has read. */
  readonly identity: string
  /** The row of the last revision that was compared with all sets. */
  readonly through: number
  /** The numbers of the sets in the catalog, by name. */
  readonly numbers: ReadonlyMap<string, number>
  /** Why a search defines no set, by name of the set. */
  readonly faults: ReadonlyMap<string, string>
  /** Whether there may be more to compare. */
  readonly more: boolean
  /** Documents that the thread cannot find. If there are any, the job has compared nothing. */
  readonly missing: readonly Oid[]
}
