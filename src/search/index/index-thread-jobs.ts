import type { Oid } from '../../core/value-types.js'

/** The files behind a search. */
export interface SearchPlace {
  /** The index. */
  readonly file: string
  /** The catalog. */
  readonly catalog: string
  /** The folder with the packs. */
  readonly gitDir: string
}

export interface IndexJob extends SearchPlace {
  readonly do: 'index'
  /** Limit of the indexed text of a document, in characters; 0: documents are not indexed. */
  readonly textLimit: number
  /** Documents that the thread did not find; undefined for a document that the repository does not have. */
  readonly documents: ReadonlyMap<Oid, Uint8Array | undefined>
}

export type IndexThreadJob = IndexJob | { readonly do: 'disconnect' }

/** The state of an index after a job. */
export interface IndexState {
  /** The build of the catalog that the thread has read. */
  readonly identity: string
  readonly through: number
  /** The last revision of the catalog. */
  readonly last: number
  /** The commit that the index reflects; undefined for none. */
  readonly commit: Oid | undefined
  /** The index has all revisions that existed when its build began: it can answer searches. */
  readonly complete: boolean
  /** There may be more to do. */
  readonly more: boolean
  /** Documents that the thread cannot find. The job did nothing without them. */
  readonly missing: readonly Oid[]
}
