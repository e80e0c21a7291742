import type { Finding } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Instant, Oid, Sha1, Version } from '../../core/value-types.js'
import type { DirectoryFiles } from '../database/directory-files.js'

/** A revision as it goes into the tables, whoever made it: the server, which knows all of it, or a person. */
export interface RevisionInput {
  readonly kind: Collection
  readonly directory: string
  /** Undefined where neither the directory's name nor its record tells it. */
  readonly id: Id | undefined
  readonly commit: Oid
  readonly time: Instant
  readonly sequence: number
  /** Empty: the commit removes the directory. */
  readonly files: DirectoryFiles
  /** Of a good state. */
  readonly content?: RecordContent
  /** None: it is good. */
  readonly findings: readonly Finding[]
}

export interface RecordContent {
  readonly record: StoredRecord
  readonly recordBlob: Oid
  readonly documentType: DocumentType
  readonly document: Oid
  readonly documentHash: Sha1
}

/** What is known of a directory before its next revision. What is not looked at is not read. */
export interface DirectoryState {
  readonly rid: number
  readonly id: Id | undefined
  readonly revisions: number
  /** Of a schema. */
  readonly versions: number
  readonly createdAt: Instant
  /** Of its last revision, good or bad. */
  readonly files: DirectoryFiles
  /** Its first revision, good or bad. */
  readonly first: { readonly commit: Oid; readonly time: Instant }
  /** The directory has a good state that is served. */
  readonly served: boolean
  /** Its newest good revision removes it. */
  readonly gone: boolean
  /** Row of its newest good state. */
  readonly goodRow: number | null
  /** The newest good state, whose parts need not be read again where the blobs are the same. */
  readonly good: RecordContent | undefined
  /** Of the newest good state: the blob and the row of its record, and its version. */
  readonly state: { readonly recordBlob: Oid; readonly body: number; readonly version: Version } | undefined
}

/** What the revisions before it make of one. */
export type VersionPlacement = Pick<Revision, 'version' | 'previous' | 'createdAt'>

/** Rows may be written some time after it was said that they are: {@link RecordRows.flush} comes before any question. */
export interface RecordRows {
  /** Called in a transaction before anything else is: others may have written since the last one. */
  begin(): void
  before(directory: string): DirectoryState | undefined
  /**
   * Derives everything from the revision and the ones before it. The only function that writes rows of records.
   * @param before of the directory, right before
   * @returns its place among the others, where it is a good state and that is known without reading
   */
  apply(entry: RevisionInput, before: DirectoryState | undefined): VersionPlacement | undefined
  /** Adds a commit to the chain, behind its revisions. */
  passed(sequence: number, commit: Oid | undefined): void
  flush(): void
  /** The transaction is over: forgets what was not flushed, and what is known of the rows. */
  clear(): void
}
