import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { recordToText } from '../../store/records/record-json.js'
import type { CatalogWriter, WrittenRevision } from '../../store/write/catalog-interface.js'
import type { DryRunCatchUp } from '../catalog.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { DatabaseFile } from '../database/sqlite-file.js'
import type { RevisionCache } from '../read/revision-cache.js'
import type { RevisionInput } from '../replay/revision-rows.js'
import type { WrittenPlacements } from './background-writer.js'
import { type CatchUpParts, openCatchUp } from './catch-up.js'
import { type IndexedPosition, laterOf, openPositionTable } from './indexed-position.js'
import { openPendingChanges, openPendingStateQueries, type PendingChanges } from './pending-state.js'
import { toRevisionInput, toWrittenRevision } from './revision-input.js'
import { openRowTransaction } from './row-transaction.js'

interface CatalogWriterParts extends CatchUpParts {
  /** {@link CatalogOptions.fewestInBackground} */
  readonly fewestInBackground?: number | undefined
  /** Starts to copy the log into the file in the background, unless a copy is running. */
  copyLog(): void
  /** The readers' connection. */
  readonly reading: Connection
  /** Gets the revisions that were committed. */
  readonly known: RevisionCache
}

/** Revisions after which the log is copied into the file. */
const copyAfter = 500

/** Fewer revisions are written sooner here than a message reaches another thread. */
const usualFewest = 8
/** Most characters of records that this thread writes. */
const longestHere = 64 * 1024

/** The commits of a flush. They are first planned, then written by this thread or by another one. */
interface Transaction {
  readonly from: IndexedPosition
  /** The position after the commits so far. */
  to: IndexedPosition
  readonly commits: PlannedCommit[]
  readonly touched: PendingChanges
  /** This thread writes each commit as it is planned. Until then its connection only reads. */
  here: boolean
  /** The result of another thread that writes the commits. */
  placements?: Promise<WrittenPlacements>
  /** An error of this thread. The whole transaction fails, because a plan may have been refused for the error. */
  failure?: { readonly thrown: unknown }
}

interface PlannedCommit {
  readonly revisions: readonly WrittenRevision[]
  readonly entries: readonly RevisionInput[]
}

/** @returns the writer, with the queries that updates are planned on and the check of a push */
export function openSqliteCatalogWriter(
  parts: CatalogWriterParts,
): CatalogWriter & { readonly dryRunCatchUp: DryRunCatchUp; readonly planning: CatalogQueries } {
  const { database, backgroundWriter, copyLog, reading, writing, own, known } = parts
  const { fewestInBackground = usualFewest } = parts
  const writer = openRowTransaction(writing)
  const { rows } = writer
  const positionNow = openCommittedPosition(database, reading)
  let transaction: Transaction | undefined
  let written: Revision[] = []
  let sinceCopy = 0

  function assertNone(): void {
    if (transaction || writing.inTransaction) throw new Error('The catalog has an open transaction already.')
  }

  /**
   * Opens a read transaction for planning. Without it, each query would take a reader lock and check for changes.
   * @returns the position of the catalog
   */
  function beginReading(): IndexedPosition {
    try {
      writing.exec('BEGIN')
      return writer.position()
    } catch (thrown) {
      rollback()
      throw thrown
    }
  }

  function rollback(): void {
    transaction = undefined
    written = []
    writer.rollback()
  }

  function current(): Transaction {
    if (!transaction) throw new Error('The catalog has no open transaction.')
    if (transaction.failure) throw transaction.failure.thrown
    return transaction
  }

  /** Ends the read transaction of planning. */
  function endReading(): void {
    if (writing.inTransaction) writing.exec('COMMIT')
  }

  /** Writes the planned commits in this thread, because a query needs them or because they are few. */
  function writeHere(): void {
    const writes = current()
    if (writes.here) return
    try {
      endReading()
      writer.begin(writes.from)
      writes.here = true
      for (const commit of writes.commits) apply(commit)
    } catch (thrown) {
      writes.failure = { thrown }
      throw thrown
    }
  }

  function apply({ entries }: PlannedCommit): void {
    note(entries, writer.apply(entries))
    rows.flush()
  }

  function note(entries: readonly RevisionInput[], places: WrittenPlacements): void {
    for (const [at, entry] of entries.entries()) {
      const place = places[at]
      if (place) written.push(toWrittenRevision(entry, place))
    }
  }

  return {
    planning: openPendingStateQueries(own, () => transaction?.touched, writeHere),
    head: () => positionNow()?.head,
    latestTime: () => positionNow()?.latest,
    ...openCatchUp(parts, writer, assertNone),
    begin() {
      assertNone()
      const from = beginReading()
      transaction = { from, to: from, commits: [], touched: openPendingChanges(), here: false }
    },
    add(revisions) {
      const into = current()
      into.to = positionAfter(into.to, revisions)
      const { sequence } = into.to
      const commit = { revisions, entries: revisions.map(revision => toRevisionInput(revision, sequence)) }
      into.commits.push(commit)
      for (const revision of revisions) into.touched.add(revision)
      if (into.here) apply(commit)
    },
    prepare() {
      const writes = current()
      if (writes.here) return
      const commits = writes.commits.map(({ revisions }) => revisions)
      if (!backgroundWriter || !isMuch(commits.flat(), fewestInBackground)) {
        writeHere()
        return
      }
      endReading()
      writes.placements = backgroundWriter.prepare(writes.from, writes.to, commits)
      // Prevents an unhandled rejection; the error surfaces at the commit.
      writes.placements.catch(() => undefined)
    },
    async commit(head) {
      const { to, commits, placements: prepared } = current()
      if (to.head !== head)
        throw new Error(`The transaction of the catalog does not end with commit ${head}.`)
      if (prepared) {
        const places = await prepared
        await backgroundWriter?.commit()
        const entries = commits.flatMap(commit => commit.entries)
        note(entries, places)
      } else {
        writeHere()
        writer.end(to)
        writer.commit()
      }
      transaction = undefined
      for (const revision of written) known.put(revision)
      sinceCopy += written.length
      written = []
      parts.moved()
      if (sinceCopy < copyAfter) return
      sinceCopy = 0
      copyLog()
    },
    async rollback() {
      const prepared = transaction?.placements
      rollback()
      if (!prepared) return
      await prepared.catch(() => undefined)
      // A thread that has ended has no open transaction; the next transaction meets any other error.
      await backgroundWriter?.rollback().catch(() => undefined)
    },
  }
}

/** Reads the position of the committed state; undefined while the file is damaged. */
function openCommittedPosition(
  database: DatabaseFile,
  reading: Connection,
): () => IndexedPosition | undefined {
  const { read } = openPositionTable(reading)
  return () => {
    if (!database.usable) return undefined
    try {
      return read()
    } catch (thrown) {
      if (database.damaged) return undefined
      throw thrown
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

/** Says whether writing the revisions in this thread would delay the event loop. @param fewest revisions that would */
function isMuch(revisions: readonly WrittenRevision[], fewest: number): boolean {
  if (revisions.length >= fewest) return true
  const lengths = revisions.map(({ state }) => (state ? recordToText(state.record).length : 0))
  return lengths.reduce((sum, length) => sum + length, 0) > longestHere
}
