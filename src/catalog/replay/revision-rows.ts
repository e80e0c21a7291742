import type { Finding } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Instant, Oid, Sha1, Version } from '../../core/value-types.js'
import type { DirectoryFiles } from '../database/directory-files.js'

/** A revision to insert into the tables, made by the server or with plain git. */
export interface RevisionInput {
  readonly kind: Collection
  readonly directory: string
  /** Undefined if neither the directory's name nor its record gives it. */
  readonly id: Id | undefined
  readonly commit: Oid
  readonly time: Instant
  readonly sequence: number
  /** Empty if the commit removes the directory. */
  readonly files: DirectoryFiles
  /** The content of a readable state. */
  readonly content?: RecordContent
  /** Empty for a valid revision. */
  readonly findings: readonly Finding[]
}

export interface RecordContent {
  readonly record: StoredRecord
  readonly recordBlob: Oid
  readonly documentType: DocumentType
  readonly document: Oid
  readonly documentHash: Sha1
}

/** The state of a directory before its next revision. Some members are read at the first access. */
export interface DirectoryState {
  readonly rid: number
  readonly id: Id | undefined
  readonly revisions: number
  /** Number of versions of a schema. */
  readonly versions: number
  readonly createdAt: Instant
  /** The files of its last revision, valid or not. */
  readonly files: DirectoryFiles
  /** Its first revision, valid or not. */
  readonly first: { readonly commit: Oid; readonly time: Instant }
  /** The directory has a valid state, which is served. */
  readonly served: boolean
  /** Its newest valid revision is a removal. */
  readonly gone: boolean
  /** Row number of its newest valid state. */
  readonly validRow: number | null
  /** Its newest valid state. Unchanged blobs need not be read again. */
  readonly validState: RecordContent | undefined
  /** Blob and row number of the record in the newest valid state, and the version. */
  readonly state: { readonly recordBlob: Oid; readonly body: number; readonly version: Version } | undefined
}

/** The place of a revision among the revisions of its record. */
export type VersionPlacement = Pick<Revision, 'version' | 'previous' | 'createdAt'>

/** Writes the rows of records through a buffer. Call {@link RecordRows.flush} before any query. */
export interface RecordRows {
  /** Call it first in each transaction: others may have written since the last one. */
  begin(): void
  before(directory: string): DirectoryState | undefined
  /**
   * Writes the rows of a revision. No other function writes rows of records.
   * @param before the state of the directory right before the revision
   * @returns the place of a valid state; undefined for other revisions, and if the place would have to be read
   */
  apply(entry: RevisionInput, before: DirectoryState | undefined): VersionPlacement | undefined
  /** Adds a commit to the chain, after its revisions. */
  addCommit(sequence: number, commit: Oid | undefined): void
  flush(): void
  /** Call it after each transaction: drops rows that were not flushed, and cached values. */
  clear(): void
}
