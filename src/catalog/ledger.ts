import { type Finding, findingLine, ProblemError } from '../core/problem.js'
import type { Instant, Oid } from '../core/values.js'
import type { History } from '../store/history.js'
import { directoryOf, documentFile } from '../store/layout.js'
import type { Ledger, WrittenRevision } from '../store/ledger.js'
import type { ObjectReader } from '../store/objects.js'
import type { Background } from './background.js'
import type { Judge, Queries, Rehearse, Revision } from './catalog.js'
import { readHistory } from './catch-up.js'
import type { Connection, DatabaseFile } from './database.js'
import type { KnownRevisions } from './known-revisions.js'
import { type Entry, openRows } from './rows.js'
import { createIndexes, dropIndexes } from './tables.js'

export interface LedgerParts {
  readonly database: DatabaseFile
  /** Connected to the same file. */
  readonly background: Background
  /** Copies the log into the file beside everything else, unless that is under way. */
  copyLog(): void
  readonly reading: Connection
  readonly writing: Connection
  readonly planning: Queries
  /** Is told what was written, once it is committed. */
  readonly known: KnownRevisions
  readonly objects: ObjectReader
  readonly history: History
  readonly judge: Judge
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

export function openLedger(parts: LedgerParts): Ledger & { readonly rehearse: Rehearse } {
  const { database, background, copyLog, reading, writing, planning, known, report } = parts
  const rows = openRows(writing)
  const stateSql = 'SELECT head, sequence, latest FROM state'
  const readState = reading.prepare<readonly [string | null, number, number | null]>(stateSql)
  const ownState = writing.prepare<readonly [string | null, number, number | null]>(stateSql)
  const writeState = writing.prepare('UPDATE state SET head = ?, sequence = ?, latest = ?')
  const faultsSince = writing.prepare<readonly [string, string, string]>(
    `SELECT c.directory, r.oid, r.findings FROM record c CROSS JOIN revision r ON r.rev = c.last
     WHERE c.bad = 1 AND r.sequence > ? ORDER BY c.directory`,
  )
  /** Of the open transaction: what `state` will say at its end. */
  let position: { head: Oid | undefined; sequence: number; latest: number } | undefined
  let written: Revision[] = []
  let sinceCopy = 0

  function stateNow() {
    // A damaged file knows nothing: the next catch-up makes it anew.
    const row = database.whole ? unlessDamaged(() => readState.get()) : undefined
    return { head: (row?.[0] ?? undefined) as Oid | undefined, latest: row?.[2] ?? undefined }
  }

  function unlessDamaged<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (thrown) {
      if (database.damaged) return undefined
      throw thrown
    }
  }

  function begin() {
    if (position) throw new Error('The ledger has a transaction open already.')
    writing.exec('BEGIN IMMEDIATE')
    const row = ownState.get()
    rows.begin()
    position = {
      head: (row?.[0] ?? undefined) as Oid | undefined,
      sequence: row?.[1] ?? 0,
      latest: row?.[2] ?? Number.NEGATIVE_INFINITY,
    }
    return position
  }

  function finish(): void {
    if (!position) throw new Error('The ledger has no transaction open.')
    const { head, sequence, latest } = position
    rows.flush()
    writeState.run(head ?? null, sequence, Number.isFinite(latest) ? latest : null)
    writing.exec('COMMIT')
    rows.clear()
    position = undefined
  }

  function rollback(): void {
    position = undefined
    written = []
    rows.clear()
    if (writing.inTransaction) writing.exec('ROLLBACK')
  }

  async function catchUp(to: Oid): Promise<void> {
    if (database.damaged) {
      await background.close()
      database.recreate()
    }
    const state = begin()
    const first = state.sequence
    const isRebuild = state.head === undefined
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
      await readHistory({
        ...parts,
        rows,
        from: state.head,
        to,
        sequence: first,
        view() {
          rows.flush()
          index()
          return planning
        },
        passed(commit, sequence) {
          state.head = commit.oid
          state.sequence = sequence
          rows.passed(sequence, commit.oid)
          if (performance.now() - told > tellEvery) {
            told = performance.now()
            report(`Reading the history: ${sequence - first} commits so far.`)
          }
          if (commit.recordedAt !== undefined) state.latest = Math.max(state.latest, commit.recordedAt)
        },
      })
      rows.flush()
      index()
      if (state.head !== to) {
        throw new ProblemError(
          'unavailable',
          `The commit ${to} does not continue the history that is served, up to ${state.head ?? 'its start'}.`,
        )
      }
      const faults = faultsSince.all(first)
      finish()
      database.filled()
      parts.moved()
      tell(faults)
    } catch (thrown) {
      rollback()
      throw thrown
    } finally {
      if (isRebuild) writing.keepPages()
    }
  }

  const rehearse: Rehearse = async (to, { objects, history, judge }) => {
    const { head, sequence } = begin()
    try {
      await readHistory({
        ...{ rows, objects, history, judge, from: head, to, sequence },
        trustsNobody: true,
        view() {
          rows.flush()
          return planning
        },
        passed: () => undefined,
      })
      rows.flush()
      return planning.since(head).faults
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
    head: () => stateNow().head,
    latestTime: () => stateNow().latest as Instant | undefined,
    catchUp,
    rehearse,
    begin() {
      begin()
    },
    add(revisions) {
      if (!position) throw new Error('The ledger has no transaction open.')
      position.sequence++
      for (const revision of revisions) {
        position.head = revision.commit
        position.latest = Math.max(position.latest, revision.time)
        const entry = entryOf(revision, position.sequence)
        const served = rows.apply(entry, rows.before(entry.directory))
        if (served) written.push(served)
      }
      rows.passed(position.sequence, position.head)
      rows.flush()
    },
    commit(head) {
      if (position?.head !== head) throw new Error(`The ledger was not told of commit ${head}.`)
      finish()
      for (const revision of written) known.put(revision)
      sinceCopy += written.length
      written = []
      parts.moved()
      if (sinceCopy < copyAfter) return
      sinceCopy = 0
      copyLog()
    },
    rollback,
  }
}

function entryOf(revision: WrittenRevision, sequence: number): Entry {
  const { kind, id, commit, time, state } = revision
  const document = state?.files.get(documentFile(kind, state.documentType))
  if (state && !document) throw new Error(`The files of ${kind} ${id} lack its document.`)
  return {
    kind,
    directory: directoryOf(kind, id),
    id,
    commit,
    time,
    sequence,
    files: new Map([...(state?.files ?? [])].map(([file, oid]) => [file, { oid }])),
    findings: [],
    ...(state &&
      document && {
        content: {
          record: state.record,
          recordBlob: state.recordBlob,
          documentType: state.documentType,
          document,
          documentHash: state.documentHash,
        },
      }),
  }
}
