import Database from 'libsql/promise'

/**
 * Copies SQLite's log into its file in another thread, on a connection of its own: it waits for the disk three times, and
 * nobody who commits has to wait with it.
 * @see https://sqlite.org/wal.html, "Checkpointing"
 */
export interface LogCopy {
  /** Copies what the log has by now, unless a copy is under way. */
  begin(): void
  /**
   * Waits for what is under way, and closes the connection; `begin` opens it anew. Before the file is deleted: a connection
   * that closes last removes the log, by its name.
   */
  close(): Promise<void>
}

/** @param failed is told why a copy failed; the log keeps what was not copied */
export function openLogCopy(file: string, failed: (thrown: unknown) => void): LogCopy {
  let connection: Database | undefined
  let underWay: Promise<void> | undefined

  async function copy(): Promise<void> {
    try {
      connection ??= new Database(file, {})
      await connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch (thrown) {
      failed(thrown)
    } finally {
      underWay = undefined
    }
  }

  return {
    begin() {
      underWay ??= copy()
    },
    async close() {
      await underWay
      connection?.close()
      connection = undefined
    },
  }
}
