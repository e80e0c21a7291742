import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Id, Instant, Oid, Sha1 } from '../../core/value-types.js'

/**
 * A revision made by the writer: the change of one record in one commit. It is complete, so the catalog reads nothing
 * from the repository.
 */
export interface WrittenRevision {
  readonly kind: Collection
  readonly id: Id
  readonly commit: Oid
  /** The commit's `Recorded-At`. */
  readonly time: Instant
  /** Undefined: the commit removes the record. */
  readonly state?: {
    readonly record: StoredRecord
    readonly recordBlob: Oid
    readonly documentType: DocumentType
    readonly documentHash: Sha1
    /** All files of the record by relative path: `record.json`, the document, additional files of a schema. */
    readonly files: ReadonlyMap<string, Oid>
  }
}

/**
 * The catalog as the writer sees it; the writer keeps it in step with the branch. Only the holder of the writer lock
 * calls these functions, one after another.
 */
export interface CatalogWriter {
  /** The commit that the catalog reflects; undefined: the catalog is empty. */
  head(): Oid | undefined
  /** The latest `Recorded-At` in the history; the next one has to be later. */
  latestTime(): Instant | undefined
  /**
   * Reads the history from `head()` to `to`, which continues it on the first-parent chain, in one transaction. With an
   * empty catalog this is a rebuild.
   */
  catchUp(to: Oid): Promise<void>
  /** Opens a transaction. The planning of later updates sees the added revisions at once, readers after `commit`. */
  begin(): void
  /** Adds all revisions of one commit. */
  add(revisions: readonly WrittenRevision[]): void
  /**
   * Starts writing, possibly in a thread; called after the last `add` and before the branch moves.
   * @throws ProblemError if writing is known to be impossible
   */
  prepare(): void
  /**
   * Ends the transaction; `head()` is now `head`.
   * @throws ProblemError if writing failed; the caller then calls `rollback`
   */
  commit(head: Oid): Promise<void>
  rollback(): Promise<void>
}
