import type { Connection } from '../database/sqlite-connection.js'
import type { RecordRows, RevisionInput, VersionPlacement } from '../replay/revision-rows.js'
import { type IndexedPosition, openPositionTable } from './indexed-position.js'
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
