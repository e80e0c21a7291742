import type { Revision } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import { recordToText } from '../../store/records/record-json.js'
import type { WrittenRevision } from '../../store/write/catalog-interface.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { RevisionInput } from '../replay/revision-rows.js'
import type { BackgroundWriter, WrittenPlacements } from './background-writer.js'
import { openPendingChanges } from './pending-state.js'
import {
  type IndexedPosition,
  laterOf,
  type RowTransaction,
  toRevisionInput,
  toWrittenRevision,
} from './row-transaction.js'

interface PlannedTransactionParts {
  /** The connection of this thread, which has a read transaction for planning. */
  readonly writing: Connection
  /** Writes rows by the same connection. */
  readonly rowTransaction: RowTransaction
  /** Undefined: this thread writes all rows. */
  readonly backgroundWriter: BackgroundWriter | undefined
  /** The smallest number of revisions that the background writer gets. */
  readonly minInBackground: number
}

interface PlannedCommit {
  readonly revisions: readonly WrittenRevision[]
  readonly entries: readonly RevisionInput[]
}

/** Limit of the records that this thread writes, in characters. */
const maxCharactersHere = 64 * 1024

/** The commits of a flush. They are first planned, then written by this thread or by the background writer. */
export class PlannedTransaction {
  /** What the planned commits change. */
  readonly touched = openPendingChanges()
  readonly #commits: PlannedCommit[] = []
  /** How far the catalog will have read the history after the commits so far. */
  #to: IndexedPosition
  /** Whether this thread writes each commit when it is planned. Before that, its connection only reads. */
  #isWrittenHere: boolean
  /** The result of the background writer. */
  #placements: Promise<WrittenPlacements> | undefined
  readonly #written: Revision[] = []
  /** An error of this thread. The whole transaction fails, because an update may have been refused for this error. */
  #failure: { readonly thrown: unknown } | undefined

  /** @param from how far the catalog has read the history */
  constructor(
    private readonly parts: PlannedTransactionParts,
    private readonly from: IndexedPosition,
  ) {
    this.#to = from
    this.#isWrittenHere = false
  }

  /** Adds the next commit to the plan. Its rows are written later, or at once after {@link writeHere}. */
  add(revisions: readonly WrittenRevision[]): void {
    this.#assertSound()
    this.#to = positionAfter(this.#to, revisions)
    const { sequence } = this.#to
    const commit = { revisions, entries: revisions.map(revision => toRevisionInput(revision, sequence)) }
    this.#commits.push(commit)
    for (const revision of revisions) this.touched.add(revision)
    if (this.#isWrittenHere) this.#apply(commit)
  }

  /** Writes the planned commits in this thread, because a query needs them or because they are few. */
  writeHere(): void {
    this.#assertSound()
    if (this.#isWrittenHere) return
    try {
      this.#endReading()
      this.parts.rowTransaction.begin(this.from)
      this.#isWrittenHere = true
      for (const commit of this.#commits) this.#apply(commit)
    } catch (thrown) {
      this.#failure = { thrown }
      throw thrown
    }
  }

  /** Starts writing, in the background if there is much to write. */
  prepare(): void {
    this.#assertSound()
    if (this.#isWrittenHere) return
    const { backgroundWriter, minInBackground } = this.parts
    const commits = this.#commits.map(({ revisions }) => revisions)
    if (!backgroundWriter || !delaysEventLoop(commits.flat(), minInBackground)) {
      this.writeHere()
      return
    }
    this.#endReading()
    this.#placements = backgroundWriter.prepare(this.from, this.#to, commits)
    // Prevents an unhandled rejection; `commit` throws the error.
    this.#placements.catch(() => undefined)
  }

  /**
   * Writes what is not written yet, and commits the transaction.
   * @returns the revisions of the commits, with their versions if these are known
   */
  async commit(head: Oid): Promise<readonly Revision[]> {
    this.#assertSound()
    if (this.#to.head !== head)
      throw new Error(`The transaction of the catalog does not end with commit ${head}.`)
    if (this.#placements) {
      const placements = await this.#placements
      await this.parts.backgroundWriter?.commit()
      const entries = this.#commits.flatMap(commit => commit.entries)
      this.#note(entries, placements)
    } else {
      this.writeHere()
      this.parts.rowTransaction.end(this.#to)
      this.parts.rowTransaction.commit()
    }
    return this.#written
  }

  async rollback(): Promise<void> {
    this.parts.rowTransaction.rollback()
    if (!this.#placements) return
    await this.#placements.catch(() => undefined)
    // If the thread has ended, no transaction is open. Another error will occur in the next transaction, too.
    await this.parts.backgroundWriter?.rollback().catch(() => undefined)
  }

  #assertSound(): void {
    if (this.#failure) throw this.#failure.thrown
  }

  /** Ends the read transaction of planning. */
  #endReading(): void {
    if (this.parts.writing.inTransaction) this.parts.writing.exec('COMMIT')
  }

  #apply({ entries }: PlannedCommit): void {
    this.#note(entries, this.parts.rowTransaction.apply(entries))
    this.parts.rowTransaction.rows.flush()
  }

  #note(entries: readonly RevisionInput[], placements: WrittenPlacements): void {
    for (const [index, entry] of entries.entries()) {
      const placement = placements[index]
      if (placement) this.#written.push(toWrittenRevision(entry, placement))
    }
  }
}

function positionAfter(
  { head, sequence, latest }: IndexedPosition,
  revisions: readonly WrittenRevision[],
): IndexedPosition {
  return {
    head: revisions.at(-1)?.commit ?? head,
    sequence: sequence + 1,
    latest: revisions.reduce((last, { time }) => laterOf(last, time), latest),
  }
}

/** Whether writing the revisions in this thread would delay the event loop. @param minRevisions number that would */
function delaysEventLoop(revisions: readonly WrittenRevision[], minRevisions: number): boolean {
  if (revisions.length >= minRevisions) return true
  const lengths = revisions.map(({ state }) => (state ? recordToText(state.record).length : 0))
  return lengths.reduce((sum, length) => sum + length, 0) > maxCharactersHere
}
