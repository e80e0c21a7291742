import { type Finding, findingLine, ProblemError } from '../../core/problem.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { recordToText } from '../../store/records/record-json.js'
import type { CatalogWriter, WrittenRevision } from '../../store/write/catalog-interface.js'
import type { DryRunCatchUp, RuleCheck } from '../catalog.js'
import type { BackgroundConnection } from '../database/background-connection.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { DatabaseFile } from '../database/sqlite-file.js'
import { createIndexes, dropIndexes } from '../database/table-definitions.js'
import type { RevisionBatchReader } from '../read/revision-batch-reader.js'
import type { RevisionCache } from '../read/revision-cache.js'
import { replayHistory } from '../replay/commits-to-revisions.js'
import type { RevisionInput } from '../replay/revision-rows.js'
import type { BackgroundWriter, WrittenPlacements } from './background-writer.js'
import { type IndexedPosition, laterOf, openPositionTable } from './indexed-position.js'
import { openPendingChanges, openPendingStateQueries, type PendingChanges } from './pending-state.js'
import { toWrittenRevision } from './record-rows.js'
import { toRevisionInput } from './revision-input.js'
import { openRowTransaction } from './row-transaction.js'

export interface CatalogWriterParts {
  readonly database: DatabaseFile
  /** Connected to the same file. */
  readonly background: BackgroundConnection
  /** To the same file too. */
  readonly beside: BackgroundWriter
  /** Other threads with connections to it. */
  readonly readers: readonly Pick<RevisionBatchReader, 'disconnect'>[]
  /** {@link CatalogOptions.fewestBeside} */
  readonly fewestBeside?: number | undefined
  /** Copies the log into the file beside everything else, unless that is under way. */
  copyLog(): void
  readonly reading: Connection
  readonly writing: Connection
  /** On the writer's connection: what is in its transaction, too. */
  readonly own: CatalogQueries
  /** Is told what was written, once it is committed. */
  readonly known: RevisionCache
  readonly objects: ObjectReader
  readonly history: History
  readonly judge: RuleCheck
  report(line: string): void
  /** Called when the committed state is another one. */
  moved(): void
}

/** Milliseconds between two lines about a history that takes long to read. */
const tellEvery = 2000
/** Kibibytes of pages kept while a whole history is read: keys come in random order, and go to the disk otherwise. */
const rebuildCache = 256 * 1024
/** Revisions after which the log is copied into the file: some 16 MB of it. */
const copyAfter = 500
/** Faults reported line by line; a botched import would have thousands. */
const mostReported = 20

/** A few short records are written sooner than another thread hears of them. */
const usualFewest = 8
/** Characters of records that this thread writes; those of one commit may be as many as a change set has. */
const longestHere = 64 * 1024

/** What the writer adds, planned and not written yet, or being written. */
interface Transaction {
  readonly from: IndexedPosition
  /** What the catalog will reflect. */
  to: IndexedPosition
  readonly commits: PlannedCommit[]
  readonly touched: PendingChanges
  /** This thread writes it, as it is planned; until then its connection only reads. */
  here: boolean
  /** Another thread writes it. */
  beside?: Promise<WrittenPlacements>
  /** Some of it could not be written, so none of it counts: a plan may have met that, and been refused for it. */
  failure?: { readonly thrown: unknown }
}

interface PlannedCommit {
  readonly revisions: readonly WrittenRevision[]
  readonly entries: readonly RevisionInput[]
}

/** @returns besides the ledger, the state that updates are planned on, and what judges a push beforehand */
export function openSqliteCatalogWriter(
  parts: CatalogWriterParts,
): CatalogWriter & { readonly rehearse: DryRunCatchUp; readonly planning: CatalogQueries } {
  const { database, background, beside, readers, copyLog, reading, writing, own, known, report } = parts
  const { fewestBeside = usualFewest } = parts
  const writer = openRowTransaction(writing)
  const { rows } = writer
  const committedPosition = openPositionTable(reading)
  const faultsSince = writing.prepare<readonly [string, string, string]>(
    `SELECT c.directory, r.oid, r.findings FROM record c CROSS JOIN revision r ON r.rev = c.last
     WHERE c.bad = 1 AND r.sequence > ? ORDER BY c.directory`,
  )
  let transaction: Transaction | undefined
  let written: Revision[] = []
  let sinceCopy = 0

  /** A damaged file knows nothing: the next catch-up makes it anew. */
  function positionNow(): IndexedPosition | undefined {
    return database.usable ? unlessDamaged(committedPosition.read) : undefined
  }

  function unlessDamaged<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (thrown) {
      if (database.damaged) return undefined
      throw thrown
    }
  }

  function assertNone(): void {
    if (transaction || writing.inTransaction) throw new Error('The ledger has a transaction open already.')
  }

  /**
   * Plans ask much, and each question by itself would take the lock of a reader and look what has changed.
   * @returns what the catalog reflects
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

  function finish(position: IndexedPosition): void {
    writer.end(position)
    writer.commit()
  }

  function rollback(): void {
    transaction = undefined
    written = []
    writer.rollback()
  }

  function current(): Transaction {
    if (!transaction) throw new Error('The ledger has no transaction open.')
    if (transaction.failure) throw transaction.failure.thrown
    return transaction
  }

  /** Ends the transaction that plans were made in, which has only read. */
  function endReading(): void {
    if (writing.inTransaction) writing.exec('COMMIT')
  }

  /** What has been planned is written in this thread after all: somebody asks for it, or it is little. */
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

  /** Says whether the event loop would notice that the commits are written in this thread. */
  function isMuch(commits: readonly PlannedCommit[]): boolean {
    const revisions = commits.flatMap(commit => commit.revisions)
    if (revisions.length >= fewestBeside) return true
    const length = revisions.reduce(
      (sum, { state }) => sum + (state ? recordToText(state.record).length : 0),
      0,
    )
    return length > longestHere
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

  async function catchUp(to: Oid): Promise<void> {
    if (database.damaged) {
      await background.close()
      await beside.disconnect()
      for (const reader of readers) await reader.disconnect()
      database.recreate()
    }
    assertNone()
    const start = writer.begin()
    let reached = start
    const first = start.sequence
    const isRebuild = start.head === undefined
    let told = performance.now()
    try {
      // Sorting all keys at the end is several times faster than keeping them sorted from the first row on.
      let indexed = !isRebuild
      if (isRebuild) {
        dropIndexes(writing)
        writing.keepPages(rebuildCache)
      }
      const index = () => {
        if (!indexed) createIndexes(writing)
        indexed = true
      }
      await replayHistory({
        ...parts,
        rows,
        from: start.head,
        to,
        sequence: first,
        view() {
          rows.flush()
          index()
          return own
        },
        commitDone(commit, sequence) {
          const { recordedAt } = commit
          const latest = recordedAt === undefined ? reached.latest : laterOf(reached.latest, recordedAt)
          reached = { head: commit.oid, sequence, latest }
          rows.passed(sequence, commit.oid)
          if (performance.now() - told > tellEvery) {
            told = performance.now()
            report(`Reading the history: ${sequence - first} commits so far.`)
          }
        },
      })
      rows.flush()
      index()
      if (reached.head !== to) {
        throw new ProblemError(
          'unavailable',
          `The commit ${to} does not continue the history that is served, up to ${reached.head ?? 'its start'}.`,
        )
      }
      const faults = faultsSince.all(first)
      finish(reached)
      database.markComplete()
      parts.moved()
      tell(faults)
    } catch (thrown) {
      rollback()
      throw thrown
    } finally {
      if (isRebuild) writing.keepPages()
    }
  }

  const rehearse: DryRunCatchUp = async (to, { objects, history, judge }) => {
    assertNone()
    const { head, sequence } = writer.begin()
    try {
      await replayHistory({
        ...{ rows, objects, history, judge, from: head, to, sequence },
        checksEverything: true,
        view() {
          rows.flush()
          return own
        },
        commitDone: () => undefined,
      })
      rows.flush()
      return own.since(head).faults
    } finally {
      rollback()
    }
  }

  function tell(faults: readonly (readonly [directory: string, commit: string, findings: string])[]): void {
    for (const [directory, commit, findings] of faults.slice(0, mostReported)) {
      const [first, ...others] = JSON.parse(findings) as readonly Finding[]
      const said = first ? findingLine(first) : ''
      const more = others.length > 0 ? ` (and ${others.length} more)` : ''
      report(`${directory} breaks a rule since commit ${commit} and is not served so: ${said}${more}`)
    }
    if (faults.length > mostReported) report(`${faults.length - mostReported} more records break a rule.`)
  }

  return {
    planning: openPendingStateQueries(own, () => transaction?.touched, writeHere),
    head: () => positionNow()?.head,
    latestTime: () => positionNow()?.latest,
    catchUp,
    rehearse,
    begin() {
      assertNone()
      const from = beginReading()
      transaction = { from, to: from, commits: [], touched: openPendingChanges(), here: false }
    },
    add(revisions) {
      const into = current()
      const sequence = into.to.sequence + 1
      let { head, latest } = into.to
      for (const { commit, time } of revisions) {
        head = commit
        latest = laterOf(latest, time)
      }
      into.to = { head, sequence, latest }
      const commit = { revisions, entries: revisions.map(revision => toRevisionInput(revision, sequence)) }
      into.commits.push(commit)
      for (const revision of revisions) into.touched.add(revision)
      if (into.here) apply(commit)
    },
    prepare() {
      const writes = current()
      if (writes.here) return
      if (!isMuch(writes.commits)) {
        writeHere()
        return
      }
      endReading()
      const commits = writes.commits.map(({ revisions }) => revisions)
      writes.beside = beside.prepare(writes.from, writes.to, commits)
      // Prevents an unhandled rejection; the error surfaces at the commit.
      writes.beside.catch(() => undefined)
    },
    async commit(head) {
      const { to, commits, beside: prepared } = current()
      if (to.head !== head) throw new Error(`The ledger was not told of commit ${head}.`)
      if (prepared) {
        const places = await prepared
        await beside.commit()
        const entries = commits.flatMap(commit => commit.entries)
        note(entries, places)
      } else {
        writeHere()
        finish(to)
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
      const prepared = transaction?.beside
      rollback()
      if (!prepared) return
      await prepared.catch(() => undefined)
      // A thread that has ended has no transaction; whatever else is left of it the next one meets.
      await beside.rollback().catch(() => undefined)
    },
  }
}
