import type { Finding } from '../problem.js'
import type { Id, Instant, Oid, Sha1, Version } from '../value-types.js'
import type { Collection, DocumentType } from './collection.js'
import type { StoredRecord } from './record.js'

/**
 * A valid revision of a record, with the values derived from history. `record` and `files` may be getters of a class,
 * which read at the first access. A copy by `...` lacks them.
 */
export interface Revision {
  readonly kind: Collection
  readonly id: Id
  /** `recordVersion` of metadata, `schemaVersion` of a schema. @see docs/understand/layout-on-disk.md#history */
  readonly version: Version
  /** The previous valid version; undefined if there is none. */
  readonly previous?: Version
  /** The commit of the revision, which is its ETag. */
  readonly commit: Oid
  /** `lastUpdate`. */
  readonly time: Instant
  /** Time of the record's first revision. */
  readonly createdAt: Instant
  readonly record: StoredRecord
  readonly documentType: DocumentType
  readonly documentHash: Sha1
  /** Blob of the document. */
  readonly document: Oid
  /** Blobs of all files of the directory by path in the directory, `record.json` and the document included. */
  readonly files: ReadonlyMap<string, Oid>
  /** Position of the commit on the first-parent chain; later revisions have higher positions. */
  readonly sequence: number
  /** Only for a revision outside the served history. */
  readonly unserved?: {
    /** The requested point, which is a part of the URLs of the revision. */
    readonly point: Oid
    /** The result of {@link CatalogQueries.documentRuns}. */
    readonly runs: readonly DocumentSpan[]
  }
}

/** Successive revisions with the same document. */
export interface DocumentSpan extends Pick<Revision, 'document' | 'documentType'> {
  /** The first revision with the document. */
  readonly first: Pick<Revision, 'version' | 'commit' | 'time'>
}

/** A valid revision that is no removal, without its content. */
export type ValidRevision = Pick<Revision, 'version' | 'commit' | 'time'>

export interface RevisionLogEntry {
  readonly commit: Oid
  readonly time: Instant
  /** Undefined for a removal. */
  readonly version?: Version
  /** Undefined for a valid revision. */
  readonly findings?: readonly Finding[]
}

/** A revision of a record that breaks a rule. Its version is not served. */
export interface UnservedRevision {
  readonly commit: Oid
  readonly time: Instant
  readonly version: Version
  readonly findings: readonly Finding[]
  /** Whether it is the newest revision of the record. */
  readonly isNewest: boolean
  /** The served versions before and after it; undefined if there is none. */
  readonly before?: Version
  readonly after?: Version
}

/** A record whose newest revision breaks a rule; its last valid revision, if there is one, is served instead. */
export interface Fault {
  readonly kind: Collection
  readonly directory: string
  readonly id?: Id
  readonly commit: Oid
  readonly findings: readonly Finding[]
}

/** Revisions of a range of commits. */
export interface RevisionsSince {
  /** Number of revisions, valid or not. */
  readonly revisions: number
  /** Revisions that break a rule, oldest first, even if a valid revision follows. */
  readonly faults: readonly InvalidRevision[]
}

export interface InvalidRevision extends Fault {
  /** The file with the document, if there is one. */
  readonly document?: string
}
