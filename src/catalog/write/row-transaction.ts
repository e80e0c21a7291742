import type { Revision } from '../../core/records/revision.js'
import type { Instant, Oid } from '../../core/value-types.js'
import { canonicalRecord } from '../../store/records/record-json.js'
import { documentFileName, recordDirectory } from '../../store/records/repository-layout.js'
import type { WrittenRevision } from '../../store/write/catalog-interface.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { RecordRows, RevisionInput, VersionPlacement } from '../replay/revision-rows.js'
import { openRecordRows } from './record-rows.js'

/** A transaction that writes the rows of commits. The main thread and the background writer have one each. */
export interface RowTransaction {
  readonly rows: RecordRows
  /** How far the catalog has read the history, with what this connection has not committed yet. */
  position(): IndexedPosition
  /**
   * Begins the transaction.
   * @param from the expected position of the catalog in the history
   * @returns that position
   * @throws Error for another position: the catalog has moved while a flush was planned. No transaction is open then
   */
  begin(from?: IndexedPosition): IndexedPosition
  /** Writes the rows of one commit of the writer. @returns the result of {@link RecordRows.apply} for each revision */
  apply(entries: readonly RevisionInput[]): readonly (VersionPlacement | undefined)[]
  /** Flushes the rows and sets the new position. Does not commit. */
  end(to: IndexedPosition): void
  commit(): void
  /** Rolls back the transaction, if one is open. */
  rollback(): void
}

export function openRowTransaction(connection: Connection): RowTransaction {
  const rows = openRecordRows(connection)
  const position = openPositionTable(connection)

  function rollback(): void {
    rows.clear()
    if (connection.inTransaction) connection.exec('ROLLBACK')
  }

  return {
    rows,
    position: position.read,
    begin(from) {
      try {
        connection.exec('BEGIN IMMEDIATE')
        const now = position.read()
        if (from && (now.head !== from.head || now.sequence !== from.sequence)) {
          const [is, should] = [now, from].map(({ head, sequence }) => `${head} (${sequence})`)
          throw new Error(`The catalog is at ${is}, not at ${should}.`)
        }
        rows.begin()
        return now
      } catch (thrown) {
        rollback()
        throw thrown
      }
    },
    apply(entries) {
      const places = entries.map(entry => rows.apply(entry, rows.before(entry.directory)))
      const last = entries.at(-1)
      if (!last) throw new Error('A commit of the writer changes records.')
      rows.addCommit(last.sequence, last.commit)
      return places
    },
    end(to) {
      rows.flush()
      position.write(to)
    },
    commit() {
      connection.exec('COMMIT')
      rows.clear()
    },
    rollback,
  }
}

/** How far a catalog has read the history: its last commit. */
export interface IndexedPosition {
  /** Undefined for an empty catalog. */
  readonly head: Oid | undefined
  /** Position of `head` on the first-parent chain. */
  readonly sequence: number
  /** The latest `Recorded-At` up to `head`. */
  readonly latest: Instant | undefined
}

export function openPositionTable(connection: Connection) {
  const select = connection.prepare<readonly [string | null, number, number | null]>(
    'SELECT head, sequence, latest FROM state',
  )
  const update = connection.prepare('UPDATE state SET head = ?, sequence = ?, latest = ?')
  return {
    read(): IndexedPosition {
      const [head, sequence, latest] = select.get() ?? []
      return {
        head: (head ?? undefined) as Oid | undefined,
        sequence: sequence ?? 0,
        latest: (latest ?? undefined) as Instant | undefined,
      }
    },
    write({ head, sequence, latest }: IndexedPosition): void {
      update.run(head ?? null, sequence, latest ?? null)
    },
  }
}

export function laterOf(a: Instant | undefined, b: Instant): Instant {
  return a !== undefined && a > b ? a : b
}

/** A revision of the writer, in the form in which it is inserted into the tables. */
export function toRevisionInput(revision: WrittenRevision, sequence: number): RevisionInput {
  const { kind, id, commit, time, state } = revision
  const document = state?.files.get(documentFileName(kind, state.documentType))
  if (state && !document) throw new Error(`The files of ${kind} ${id} lack its document.`)
  return {
    kind,
    directory: recordDirectory(kind, id),
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

/** A valid revision that was written, in the form in which readers find it. */
export function toWrittenRevision(
  { kind, id, commit, time, sequence, files, content }: RevisionInput,
  place: VersionPlacement,
): Revision {
  if (id === undefined || !content) throw new Error('Readers find valid states only.')
  const { record, documentType, documentHash, document } = content
  return {
    kind,
    id,
    ...place,
    commit,
    time,
    record: canonicalRecord(record),
    documentType,
    documentHash,
    document,
    files: new Map([...files].map(([file, { oid }]) => [file, oid])),
    sequence,
  }
}
