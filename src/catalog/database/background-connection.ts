import Database from 'libsql/promise'
import { busyTimeoutMs } from './sqlite-connection.js'

/**
 * A separate connection whose statements run one after the other in another thread.
 *
 * Fast path, for fairness and not for speed: with 1,000,000 records, a checkpoint in the main thread would stop the
 * event loop for 60 to 80 ms every 500 creates, and for 0.5 s after a start. Plain path:
 * {@link openForegroundConnection}.
 * @see docs/decisions/011-fast-paths.md
 */
export interface BackgroundConnection {
  exec(sql: string): Promise<void>
  /**
   * Waits for earlier calls, and closes the connection; a later call opens it again. Close it before the database is
   * replaced: the last connection that closes deletes the write-ahead log by name, even if it is that of a new file.
   */
  close(): Promise<void>
}

/** The part of `libsql/promise` in use; the package's own types are too loose. */
interface Connection {
  exec(sql: string): Promise<void>
  close(): void
}

export function openBackgroundConnection(file: string): BackgroundConnection {
  let connection: Connection | undefined
  let last: Promise<unknown> = Promise.resolve()

  function next<T>(job: (on: Connection) => Promise<T>): Promise<T> {
    const done = last.then(() => {
      connection ??= new Database(file, { timeout: busyTimeoutMs }) as Connection
      return job(connection)
    })
    // The caller gets the error; the queue goes on.
    last = done.catch(() => undefined)
    return done
  }

  return {
    exec: sql => next(on => on.exec(sql)),
    async close() {
      await last
      connection?.close()
      connection = undefined
    },
  }
}
