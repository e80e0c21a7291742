import type { Visibility } from '../../../core/records/list-query.js'
import type { Oid } from '../../../core/value-types.js'
import type { FoundHits } from '../find/find-jobs.js'
import type { FindLimits } from '../find/find-limits.js'
import type { SearchPlace } from '../index/index-thread-jobs.js'
import type { SearchRequest } from '../search-engine.js'

/** A search among the records as they were at a commit. */
export interface PastJob extends SearchPlace {
  readonly visibility: Visibility
  readonly request: SearchRequest
  readonly limits: FindLimits
  /** A commit of the served history. */
  readonly commit: Oid
  /** Documents that the process has reported as missing; undefined for a document that cannot be read. */
  readonly documents: ReadonlyMap<Oid, Uint8Array | undefined>
}

export type PastResult =
  | { readonly page: FoundHits }
  /** More revisions have to be indexed first: send the job again, with these documents. */
  | { readonly missing: readonly Oid[] }
  /** The index does not reflect the commit yet. */
  | { readonly isBehind: true }
