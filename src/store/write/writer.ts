import type { Author } from '../../core/author.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Id, Instant, Oid } from '../../core/value-types.js'
import type { StaleLock } from '../locks/stale-locks.js'

/** Bytes of a file that changes, or the blob it already is. */
export type FileContent = Uint8Array | Oid

/** What an update does to the directory of one record. */
export interface RecordChange {
  readonly kind: Collection
  readonly id: Id
  /** Undefined: remove the directory. */
  readonly state?: {
    readonly record: StoredRecord
    readonly documentType: DocumentType
    readonly document: FileContent
    /** Further files of a schema by path relative to the document. */
    readonly files: ReadonlyMap<string, FileContent>
  }
}

/** What a commit says of an update. */
export interface CommitDescription {
  /** In words a person can read: `Update metadata 1f6c… to version 3 (datacite, version 4)`. */
  readonly subject: string
  /** Trailers for machines, beside the `Recorded-At` that the writer adds. */
  readonly trailers?: readonly (readonly [name: string, value: string])[]
  /** Author date, where it is not the time of the commit: what is taken over was written elsewhere, and earlier. */
  readonly authoredAt?: Instant
}

/** One update: one commit about one record. */
export interface Change extends RecordChange, CommitDescription {}

/** One update of several records: one commit about all of them. No two are about the same record. */
export interface ChangeSet extends CommitDescription {
  readonly changes: readonly RecordChange[]
}

/** What an update comes to; undefined: nothing changes. */
export type Planned = Change | ChangeSet | undefined

export interface Writer {
  /**
   * Queues one update; resolves when its commit is durable, the branch points at it or beyond, and the catalog knows
   * it. `plan` runs on the newest state inside the queue, and again where the branch moved meanwhile: it must have no
   * effects, and wait for nothing but pauses, as all other updates wait for it. It may throw a ProblemError, which rejects this update alone. Undefined means that
   * nothing changes: no commit is made.
   * @param near the record it is about, so that the trees on its path can be read while it waits
   * @returns the commit, or undefined where nothing changed
   * @throws ProblemError `unavailable` when the writer is closing, a person holds the index lock, or the history was
   *   rewritten; `no-space`
   */
  write(
    author: Author,
    plan: () => Planned | Promise<Planned>,
    near?: { readonly kind: Collection; readonly id: Id },
  ): Promise<Oid | undefined>
  /** Brings the ledger up to the branch when somebody else moved it; resolves when it is. */
  catchUp(): Promise<void>
  /**
   * Asks the log that is shared with other servers, and brings branch and ledger up to it; without a log the same as
   * `catchUp`.
   * @throws ProblemError `unavailable`
   */
  syncSharedLog(): Promise<void>
  /**
   * Has somebody else move the branch in the turn of an update: with every lock held, and with no update in between.
   * `move` may leave it where it is. The ledger has followed before this resolves; the work tree follows as it does our
   * own updates.
   * @param move runs once, and is told where the branch is
   * @throws ProblemError `unavailable` as `write` does
   * @throws what `move` throws, once the ledger has followed whatever it did
   */
  runWhileLocked(move: (head: Oid) => Promise<void>): Promise<void>
  /** Resolves where an update would be taken, without waiting for those before it. @throws ProblemError as `write` does */
  probe(): Promise<void>
  /** Lock files of git's that are there for longer than an update waits for them. */
  staleLocks(): readonly StaleLock[]
  /** How things stand: updates that wait, and whether any is taken. */
  status(): { readonly waiting: number; readonly takesUpdates: boolean }
  /** Resolves when the queue is empty and the work tree and the index are at the branch. */
  settled(): Promise<void>
  /** Finishes what was accepted, refuses the rest, settles, releases every lock. */
  close(): Promise<void>
}
