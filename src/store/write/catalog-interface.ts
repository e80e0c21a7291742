import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Id, Instant, Oid, Sha1 } from '../../core/value-types.js'

/**
 * A revision as the writer made it: what one commit did to one record. The writer knows everything about it, so
 * nothing has to be read again.
 */
export interface WrittenRevision {
  readonly kind: Collection
  readonly id: Id
  readonly commit: Oid
  /** The commit's `Recorded-At`. */
  readonly time: Instant
  /** Undefined: the commit removes the record's directory. */
  readonly state?: {
    readonly record: StoredRecord
    readonly recordBlob: Oid
    readonly documentType: DocumentType
    readonly documentHash: Sha1
    /** Every file of the directory by its path inside: `record.json`, the document, further files of a schema. */
    readonly files: ReadonlyMap<string, Oid>
  }
}

/**
 * What the writer keeps in step with the branch: the catalog, seen from the store (the store does not know the
 * catalog). Only the holder of the writer lock calls these, one call after the other.
 */
export interface CatalogWriter {
  /** The commit it reflects; undefined when it is empty. */
  head(): Oid | undefined
  /** The latest `Recorded-At` it has seen, so that the next one is later. */
  latestTime(): Instant | undefined
  /**
   * Reads the history after `head()` up to `to`, which continues it on the first-parent chain, and takes it over in
   * one transaction. With an empty ledger this is a rebuild.
   */
  catchUp(to: Oid): Promise<void>
  /** Opens a transaction: what `add` says is seen by the planning of later updates, and by readers only at `commit`. */
  begin(): void
  /** All revisions of one commit. */
  add(revisions: readonly WrittenRevision[]): void
  /**
   * Nothing more is added, and the branch is about to move: writing begins, here or beside the event loop.
   * @throws ProblemError where it is known already that it cannot be written
   */
  prepare(): void
  /**
   * Ends the transaction; `head()` is now `head`.
   * @throws ProblemError where it could not be written. `rollback` comes next
   */
  commit(head: Oid): Promise<void>
  rollback(): Promise<void>
}
