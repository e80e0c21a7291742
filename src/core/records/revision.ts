import type { Finding } from '../problem.js'
import type { Id, Instant, Oid, Sha1, Version } from '../value-types.js'
import type { Collection, DocumentType } from './collection.js'
import type { StoredRecord } from './record.js'

/**
 * One good revision of a record, with all that is derived from history. Record and files may be read when they are asked for:
 * a copy by `...` has not got them.
 */
export interface Revision {
  readonly kind: Collection
  readonly id: Id
  /** `recordVersion` of metadata, `schemaVersion` of a schema. @see docs/layout-on-disk.md#history */
  readonly version: Version
  /** The version before it that can be read: those of bad revisions and of removals cannot. Undefined: it is the first. */
  readonly previous?: Version
  /** The commit that made it: its ETag. */
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
  /** Blobs of every file of the directory, by path inside it: `record.json` and the document too. */
  readonly files: ReadonlyMap<string, Oid>
  /** Position of the commit on the first-parent chain: of two revisions the later has the higher one. */
  readonly sequence: number
  /** Of a revision that is none of the served history. */
  readonly aside?: {
    /** The point it was read at: addresses that lead to it say so. */
    readonly point: Oid
    /** As {@link CatalogQueries.documentRuns} has them. */
    readonly runs: readonly DocumentSpan[]
  }
}

/** Revisions that follow each other and have the same document. */
export interface DocumentSpan extends Pick<Revision, 'document' | 'documentType'> {
  /** The revision that brought it. */
  readonly first: Pick<Revision, 'version' | 'commit' | 'time'>
}

export interface RevisionLogEntry {
  readonly commit: Oid
  readonly time: Instant
  /** Version it belongs to; undefined for a removal. */
  readonly version?: Version
  /** Bad revisions only. */
  readonly findings?: readonly Finding[]
}

/** A record whose newest revision breaks a rule; the last good one (if there is one) is served instead. */
export interface RuleViolation {
  readonly kind: Collection
  readonly directory: string
  readonly id?: Id
  readonly commit: Oid
  readonly findings: readonly Finding[]
}

/** Revisions of some commits, good and bad. */
export interface RevisionsSince {
  /** How many there are. */
  readonly revisions: number
  /** Those that break a rule, oldest first, whatever came after them. */
  readonly faults: readonly InvalidRevision[]
}

export interface InvalidRevision extends RuleViolation {
  /** The file in the directory that holds the document, where there is one. */
  readonly document?: string
}
