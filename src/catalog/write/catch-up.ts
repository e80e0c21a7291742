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
import { laterOf, type RowTransaction } from './row-transaction.js'

export interface CatchUpParts {
  readonly database: DatabaseFile
  /** A connection to the same file. */
  readonly background: BackgroundConnection
  /** Another connection to the same file; undefined: the main thread writes all rows. */
  readonly backgroundWriter: BackgroundWriter | undefined
  /** Reader threads with connections to the same file. */
  readonly readers: readonly CatalogReader[]
  readonly writing: Connection
  /** Queries on the writer's connection, which see its open transaction. */
  readonly writerQueries: CatalogQueries
  readonly objects: ObjectReader
  readonly history: History
  readonly checkRules: RuleCheck
  report(line: string): void
  /** Called with the number of committed revisions. After many, copies the write-ahead log in the background. */
  copyLog(written: number): void
  /** Called when the committed state has changed. */
  moved(head: Oid): void
}

/** Milliseconds between two reports on the progress of a long catch-up. */
const reportInterval = 2000
/** Page cache of a rebuild, in KiB. Keys come in random order: a smaller cache would write each page many times. */
const rebuildCacheSize = 256 * 1024
/** Limit of the faults that are reported line by line; an import may have thousands. */
const maxReportedFaults = 20

type Fault = readonly [directory: string, commit: string, findings: string]

/** Reads commits of the branch into the catalog. @param assertNone throws while a transaction is open */
export function openCatchUp(
  parts: CatchUpParts,
  writer: RowTransaction,
  assertNone: () => void,
): { catchUp(to: Oid): Promise<void>; readonly dryRunCatchUp: DryRunCatchUp } {
  const { database, writing, writerQueries, objects, history, checkRules, report } = parts
  const { rows } = writer
  const faultsSince = writing.prepare<Fault>(
    `SELECT c.directory, r.oid, r.findings FROM record c CROSS JOIN revision r ON r.rev = c.last
     WHERE c.bad = 1 AND r.sequence > ? ORDER BY c.directory`,
  )

  async function recreateIfDamaged(): Promise<void> {
    if (!database.damaged) return
    await parts.background.close()
    await parts.backgroundWriter?.disconnect()
    for (const reader of parts.readers) await reader.disconnect()
    database.recreate()
  }

  async function catchUp(to: Oid): Promise<void> {
    await recreateIfDamaged()
    assertNone()
    const start = writer.begin()
    const indexes = openIndexBuild(writing, start.head === undefined && !isPlain)
    const progress = openProgressReport(report)
    let reached = start
    try {
      indexes.begin()
      await replayHistory({
        ...{ rows, objects, history, checkRules, from: start.head, to, sequence: start.sequence },
        view() {
          rows.flush()
          indexes.build()
          return writerQueries
        },
        commitDone({ oid, recordedAt }, sequence) {
          const latest = recordedAt === undefined ? reached.latest : laterOf(reached.latest, recordedAt)
          reached = { head: oid, sequence, latest }
          rows.addCommit(sequence, oid)
          if (oid !== to) progress(sequence - start.sequence)
        },
      })
      rows.flush()
      indexes.build()
      if (reached.head !== to) throw notContinued(to, reached.head)
      const faults = faultsSince.all(start.sequence)
      writer.end(reached)
      writer.commit()
      database.markComplete()
      parts.moved(to)
      parts.copyLog(reached.sequence - start.sequence)
      reportFaults(faults, report)
    } catch (thrown) {
      writer.rollback()
      throw thrown
    } finally {
      indexes.end()
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
          return writerQueries
        },
        commitDone: () => undefined,
      })
      rows.flush()
      return writerQueries.since(head).faults
    } finally {
      writer.rollback()
    }
  }

  return { catchUp, dryRunCatchUp }
}

/**
 * Builds the indexes of a rebuild at the end: sorting all keys is several times faster than inserting each key into an
 * index. Without a rebuild, each key is inserted.
 *
 * Fast path. Rebuild of 100,000 records: 11.5 s instead of 13.5 s. Plain path: indexes from the start.
 * @see docs/decisions/011-fast-paths.md
 */
function openIndexBuild(writing: Connection, isRebuild: boolean) {
  let isBuilt = !isRebuild
  return {
    begin() {
      if (!isRebuild) return
      dropIndexes(writing)
      writing.keepPages(rebuildCacheSize)
    },
    /** Builds the indexes, if that is still to be done: queries need them. */
    build() {
      if (!isBuilt) createIndexes(writing)
      isBuilt = true
    },
    end() {
      if (isRebuild) writing.keepPages()
    },
  }
}

function openProgressReport(report: (line: string) => void): (commits: number) => void {
  let reported = performance.now()
  return commits => {
    if (performance.now() - reported <= reportInterval) return
    reported = performance.now()
    report(`Reading the history: ${commits} ${commits === 1 ? 'commit' : 'commits'} so far.`)
  }
}

function notContinued(to: Oid, head: Oid | undefined): ProblemError {
  return new ProblemError(
    'unavailable',
    `The commit ${to} does not continue the served history, up to ${head ?? 'its start'}.`,
  )
}

function reportFaults(faults: readonly Fault[], report: (line: string) => void): void {
  for (const [directory, commit, findings] of faults.slice(0, maxReportedFaults)) {
    const [first, ...others] = JSON.parse(findings) as readonly Finding[]
    const said = first ? findingLine(first) : ''
    const more = others.length > 0 ? ` (and ${others.length} more)` : ''
    report(`${directory} breaks a rule since commit ${commit}, which is not served: ${said}${more}`)
  }
  if (faults.length > maxReportedFaults)
    report(`${faults.length - maxReportedFaults} more records break a rule.`)
}
