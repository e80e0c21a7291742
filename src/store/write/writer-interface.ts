import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Id, Instant, Oid } from '../../core/value-types.js'
import type { StaleLock } from '../locks/lock-file.js'
import type { Author } from '../objects/commit-format.js'

/** Bytes of a file, or the name of its existing blob. */
export type FileContent = Uint8Array | Oid

/** The change of one record's directory. */
export interface RecordChange {
  readonly kind: Collection
  readonly id: Id
  /** Undefined: remove the directory. */
  readonly state?: {
    readonly record: StoredRecord
    readonly documentType: DocumentType
    readonly document: FileContent
    /** Additional files of a schema by path relative to the document. */
    readonly files: ReadonlyMap<string, FileContent>
  }
}

/** Subject, trailers and author date of a commit. */
interface CommitDescription {
  /** For people, such as `Update metadata 1f6c… to version 3 (datacite, version 4)`. */
  readonly subject: string
  /** Trailers in addition to `Recorded-At`, which the writer adds. */
  readonly trailers?: readonly (readonly [name: string, value: string])[]
  /** Author date, for imported updates; default: the time of the commit. */
  readonly authoredAt?: Instant
}

/** An update of one record: one commit. */
export interface Change extends RecordChange, CommitDescription {}

/** An update of several distinct records: one commit. */
export interface ChangeSet extends CommitDescription {
  readonly changes: readonly RecordChange[]
}

/** Result of planning an update; undefined: nothing changes. */
export type Planned = Change | ChangeSet | undefined

export interface Writer {
  /**
   * Queues an update. Resolves when its commit is durable, the branch has it, and the catalog knows it.
   * @param plan runs on the newest state, and again if the branch has moved meanwhile, so it must have no side effects.
   *   All other updates wait for it, so it may only wait for pauses of the event loop. If it throws a ProblemError,
   *   only this update is rejected. If it returns undefined, there is no commit
   * @param near the record of the update, whose trees can be read in advance
   * @returns the commit; undefined if nothing changed
   * @throws ProblemError `unavailable` if the writer is closing, a user holds the index lock, or the history was
   *   rewritten; `no-space`
   */
  write(
    author: Author,
    plan: () => Planned | Promise<Planned>,
    near?: { readonly kind: Collection; readonly id: Id },
  ): Promise<Oid | undefined>
  /** Updates the catalog to the branch, which other programs may have moved, and checks the index they have written. */
  catchUp(): Promise<void>
  /** Whether another program has written the index, and {@link catchUp} has not checked it yet. */
  isIndexUnchecked(): boolean
  /**
   * Asks the log that must have each commit, and updates the branch and the catalog to it. Without such a log, updates
   * the catalog to the branch.
   * @throws ProblemError `unavailable`
   */
  synchronize(): Promise<void>
  /**
   * Runs a function that may move the branch, with all locks held and no update in between. Before this resolves, the
   * catalog has followed the branch. The work tree follows as after an update.
   * @param move runs once, with the current commit of the branch
   * @throws ProblemError `unavailable` like `write`
   * @throws the error of `move`, after the catalog has followed the branch
   */
  runWhileLocked(move: (head: Oid) => Promise<void>): Promise<void>
  /** Resolves if updates are possible, without waiting for queued ones. @throws ProblemError like `write` */
  probe(): Promise<void>
  /** Git's lock files that are older than an update waits for them. */
  staleLocks(): readonly StaleLock[]
  /** Number of queued updates, and whether updates are accepted. */
  status(): { readonly waiting: number; readonly takesUpdates: boolean }
  /** Resolves when the queue is empty and the work tree and the index are at the branch. */
  settled(): Promise<void>
  /** Finishes accepted updates, refuses new ones, and releases all locks. */
  close(): Promise<void>
}
