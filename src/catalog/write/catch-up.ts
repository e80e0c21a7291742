import { isPlain } from '../../core/plain-mode.js'
import { type Finding, findingLine, ProblemError } from '../../core/problem.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Oid } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import type { CatalogReader, DryRunCatchUp, RuleCheck } from '../catalog.js'
import type { BackgroundConnection } from '../database/background-connection.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { DatabaseFile } from '../database/sqlite-file.js'
import { createIndexes, dropIndexes } from '../database/table-definitions.js'
import { replayHistory } from '../replay/commits-to-revisions.js'
import type { BackgroundWriter } from './background-writer.js'
import { laterOf } from './indexed-position.js'
import type { RowTransaction } from './row-transaction.js'

export interface CatchUpParts {
  readonly database: DatabaseFile
  /** A connection to the same file. */
  readonly background: BackgroundConnection
  /** Another connection to the same file; undefined: the event loop writes all rows. */
  readonly backgroundWriter: BackgroundWriter | undefined
  /** Reader threads with connections to the same file. */
  readonly readers: readonly CatalogReader[]
  readonly writing: Connection
  /** Queries on the writer's connection, which see its open transaction. */
  readonly own: CatalogQueries
  readonly objects: ObjectReader
  readonly history: History
  readonly checkRules: RuleCheck
  report(line: string): void
  /** Called when the committed state has changed. */
  moved(): void
}

/** Milliseconds between two reports on the progress of a long catch-up. */
const reportEvery = 2000
/** Page cache of a rebuild in KiB. Keys come in random order, and a smaller cache writes each page many times. */
const rebuildCache = 256 * 1024
/** Most faults that are reported line by line; an import may have thousands. */
const mostReported = 20

type Fault = readonly [directory: string, commit: string, findings: string]

/** Reads commits of the branch into the catalog. @param assertNone throws while a transaction is open */
export function openCatchUp(
  parts: CatchUpParts,
  writer: RowTransaction,
  assertNone: () => void,
): { catchUp(to: Oid): Promise<void>; readonly dryRunCatchUp: DryRunCatchUp } {
  const {
    database,
    background,
    backgroundWriter,
    readers,
    writing,
    own,
    objects,
    history,
    checkRules,
    report,
  } = parts
  const { rows } = writer
  const faultsSince = writing.prepare<Fault>(
    `SELECT c.directory, r.oid, r.findings FROM record c CROSS JOIN revision r ON r.rev = c.last
     WHERE c.bad = 1 AND r.sequence > ? ORDER BY c.directory`,
  )

  async function recreateIfDamaged(): Promise<void> {
    if (!database.damaged) return
    await background.close()
    await backgroundWriter?.disconnect()
    for (const reader of readers) await reader.disconnect()
    database.recreate()
  }

  async function catchUp(to: Oid): Promise<void> {
    await recreateIfDamaged()
    assertNone()
    const start = writer.begin()
    /** Builds the indexes at the end. The plain path inserts each key into its index. */
    const isRebuild = start.head === undefined && !isPlain
    let reached = start
    let reported = performance.now()
    // Sorting all keys at the end is several times faster than inserting each key into an index.
    let indexed = !isRebuild
    const index = () => {
      if (!indexed) createIndexes(writing)
      indexed = true
    }
    try {
      if (isRebuild) {
        dropIndexes(writing)
        writing.keepPages(rebuildCache)
      }
      await replayHistory({
        ...{ rows, objects, history, checkRules, from: start.head, to, sequence: start.sequence },
        view() {
          rows.flush()
          index()
          return own
        },
        commitDone({ oid, recordedAt }, sequence) {
          const latest = recordedAt === undefined ? reached.latest : laterOf(reached.latest, recordedAt)
          reached = { head: oid, sequence, latest }
          rows.passed(sequence, oid)
          if (performance.now() - reported <= reportEvery) return
          reported = performance.now()
          report(`Reading the history: ${sequence - start.sequence} commits so far.`)
        },
      })
      rows.flush()
      index()
      if (reached.head !== to) throw notContinued(to, reached.head)
      const faults = faultsSince.all(start.sequence)
      writer.end(reached)
      writer.commit()
      database.markComplete()
      parts.moved()
      reportFaults(faults, report)
    } catch (thrown) {
      writer.rollback()
      throw thrown
    } finally {
      if (isRebuild) writing.keepPages()
    }
  }

  const dryRunCatchUp: DryRunCatchUp = async (to, sources) => {
    assertNone()
    const { head, sequence } = writer.begin()
    try {
      await replayHistory({
        ...{ rows, ...sources, from: head, to, sequence },
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
      writer.rollback()
    }
  }

  return { catchUp, dryRunCatchUp }
}

function notContinued(to: Oid, head: Oid | undefined): ProblemError {
  return new ProblemError(
    'unavailable',
    `The commit ${to} does not continue the history that is served, up to ${head ?? 'its start'}.`,
  )
}

function reportFaults(faults: readonly Fault[], report: (line: string) => void): void {
  for (const [directory, commit, findings] of faults.slice(0, mostReported)) {
    const [first, ...others] = JSON.parse(findings) as readonly Finding[]
    const said = first ? findingLine(first) : ''
    const more = others.length > 0 ? ` (and ${others.length} more)` : ''
    report(`${directory} breaks a rule since commit ${commit}, which is not served: ${said}${more}`)
  }
  if (faults.length > mostReported) report(`${faults.length - mostReported} more records break a rule.`)
}
