import type { Connection } from '../database/sqlite-connection.js'
import type { RecordRows, RevisionInput, VersionPlacement } from '../replay/revision-rows.js'
import { type IndexedPosition, openPositionTable } from './indexed-position.js'
import { openRecordRows } from './record-rows.js'

/** A transaction that writes what commits did, in whichever thread the connection is. */
export interface RowTransaction {
  readonly rows: RecordRows
  /** What the catalog reflects, as this connection sees it. */
  position(): IndexedPosition
  /**
   * Begins the transaction.
   * @param from what the catalog has to reflect
   * @returns what it reflects
   * @throws Error where that is something else: it has gone on while a flush was planned. Then nothing is open
   */
  begin(from?: IndexedPosition): IndexedPosition
  /** Takes over what one commit of the writer's did. @returns the place of each revision, as {@link RecordRows.apply} does */
  apply(entries: readonly RevisionInput[]): readonly (VersionPlacement | undefined)[]
  /** Writes what waits, and what the catalog reflects from now on: only `commit` is left to be done. */
  end(to: IndexedPosition): void
  commit(): void
  /** Drops what is open, if anything is. */
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
      rows.passed(last.sequence, last.commit)
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
