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
  /** Record and document; undefined for a removal, and if they cannot be read. */
  readonly content?: ReplayedRecord
  /** Empty for a valid revision. */
  readonly findings: readonly Finding[]
}

export interface ReplayedRecord {
  readonly record: StoredRecord
  readonly recordBlob: Oid
  readonly documentType: DocumentType
  readonly document: Oid
  readonly documentHash: Sha1
}

/** What the catalog knows of a directory before its next revision. Some members are read at the first access. */
export interface DirectoryState {
  readonly rid: number
  readonly id: Id | undefined
  readonly revisions: number
  /** Number of versions of a schema. */
  readonly versions: number
  readonly createdAt: Instant
  /** The files of the last revision of the directory, valid or not. */
  readonly files: DirectoryFiles
  /** The first revision of the directory, valid or not. */
  readonly first: { readonly commit: Oid; readonly time: Instant }
  /** Whether a revision of the directory is served: it has a valid one, and the newest valid one is no removal. */
  readonly served: boolean
  /** Whether the newest valid revision is a removal. */
  readonly gone: boolean
  /** Row number of the newest valid revision that is no removal. */
  readonly validRow: number | null
  /** Content of that revision. Blobs that it has need not be read again. */
  readonly validState: ReplayedRecord | undefined
  /** Blob of the record in that revision, row number of the record's stored form, and version. */
  readonly state: { readonly recordBlob: Oid; readonly body: number; readonly version: Version } | undefined
}

/** The values of a revision that depend on the other revisions of its record. */
export type VersionPlacement = Pick<Revision, 'version' | 'previous' | 'createdAt'>

/** Writes the rows of records through a buffer. Call {@link RecordRows.flush} before any query. */
export interface RecordRows {
  /** Call it first in each transaction, because other connections may have written since the last one. */
  begin(): void
  before(directory: string): DirectoryState | undefined
  /**
   * Writes the rows of a revision. No other function writes rows of records.
   * @param before what {@link RecordRows.before} returns for the directory right before the revision
   * @returns undefined for an invalid revision and for a removal, and if the values would have to be read
   */
  apply(entry: RevisionInput, before: DirectoryState | undefined): VersionPlacement | undefined
  /** Adds a commit to the chain, after its revisions. */
  addCommit(sequence: number, commit: Oid | undefined): void
  flush(): void
  /** Call it after each transaction: drops rows that were not flushed, and cached values. */
  clear(): void
}
