import type { Oid } from '../../../core/value-types.js'
import type { SchemaIndexedAgain } from '../search-engine.js'

/** The files that a search reads. */
export interface SearchPlace {
  /** The file of the index. */
  readonly file: string
  /** The file of the catalog. */
  readonly catalog: string
  /** The Git directory, which has the packs. */
  readonly gitDir: string
  /** Address of the module that describes documents; absent: they are indexed without descriptions. */
  readonly describeModule?: string | undefined
}

export interface IndexJob extends SearchPlace {
  readonly do: 'index'
  /** Limit of the indexed text of a document, in characters; 0: documents are not indexed. */
  readonly textLimit: number
  /** Documents that the thread has reported as missing; undefined for a document that the repository does not have. */
  readonly documents: ReadonlyMap<Oid, Uint8Array | undefined>
}

export type IndexThreadJob = IndexJob | { readonly do: 'disconnect' }

/** How far an index is after a job. */
export interface IndexState {
  /** Identifies the build of the catalog that the thread has read. */
  readonly identity: string
  readonly through: number
  /** The last revision of the catalog. */
  readonly last: number
  /** The commit that the index reflects; undefined for none. */
  readonly commit: Oid | undefined
  /** Whether the index has all revisions that existed when it was begun, so that it can answer searches. */
  readonly complete: boolean
  /** Whether there may be more to index. */
  readonly more: boolean
  /** @see IndexProgress.again */
  readonly again: readonly SchemaIndexedAgain[]
  /** Documents that the thread cannot find. If there are any, the job has indexed nothing. */
  readonly missing: readonly Oid[]
}
