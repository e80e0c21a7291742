import Database from 'libsql/promise'
import {
  busyTimeoutMs,
  type Connection,
  isDatabaseDamage,
  maxLogBytes,
  openToWrite,
} from './sqlite-connection.js'
import { databaseFileState } from './sqlite-file.js'

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
interface AsyncConnection {
  exec(sql: string): Promise<void>
  close(): void
}

export function openBackgroundConnection(file: string): BackgroundConnection {
  let connection: AsyncConnection | undefined
  let last: Promise<unknown> = Promise.resolve()

  function next<T>(job: (on: AsyncConnection) => Promise<T>): Promise<T> {
    const done = last.then(() => {
      connection ??= new Database(file, { timeout: busyTimeoutMs }) as AsyncConnection
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

/** The plain {@link BackgroundConnection}: its statements run in the calling thread. */
export function openForegroundConnection(file: string): BackgroundConnection {
  let connection: Connection | undefined

  function opened(): Connection {
    connection ??= openToWrite(file)
    return connection
  }

  return {
    async exec(sql) {
      opened().exec(sql)
    },
    async close() {
      connection?.close()
      connection = undefined
    },
  }
}

/** Number of revisions after which the write-ahead log is copied into the database. */
const copyAfter = 500

interface LogCopierOptions {
  readonly background: BackgroundConnection
  /** Path of the catalog. */
  readonly file: string
  /** `PRAGMA user_version` of the catalog. */
  readonly version: number
  noteDamage(): void
  /** Size in bytes to which a longer log is cut; default: {@link maxLogBytes}. */
  readonly max?: number
}

/**
 * Copies the write-ahead log into the database in the background, after enough revisions and unless a copy is running.
 * Such a checkpoint waits for the disk three times, so it is not a part of a commit.
 *
 * Then cuts the long log that a rebuild leaves, unless a connection reads it. SQLite alone would cut it at the next
 * write, which may come much later. Until then the log takes as much space as the catalog, and if the server ends
 * without closing the catalog, the next start reads the whole log, and the first update copies it once more.
 * @returns a function to call with the number of revisions after each commit
 * @see https://sqlite.org/wal.html, "Checkpointing"; https://sqlite.org/pragma.html#pragma_journal_size_limit
 */
export function openLogCopier(options: LogCopierOptions): (written: number) => void {
  const { background, file, version, max = maxLogBytes } = options
  let isCopying = false
  let sinceCopy = 0

  async function copy(): Promise<void> {
    const { log } = databaseFileState(file)
    // SQLite cuts the log at a write. This write changes nothing.
    const cut = `PRAGMA journal_size_limit = ${max}; PRAGMA user_version = ${version}`
    const isLong = log !== undefined && log.size > max
    // In one call: `close` could come between two calls, and the second call would open the connection again.
    await background.exec(`PRAGMA wal_checkpoint(PASSIVE); ${isLong ? cut : ''}`)
  }

  return written => {
    sinceCopy += written
    if (sinceCopy < copyAfter) return
    sinceCopy = 0
    if (isCopying) return
    isCopying = true
    copy()
      .catch((thrown: unknown) => {
        // Pages that were not copied stay in the log. An error other than damage will occur at the next write, too.
        if (isDatabaseDamage(thrown)) options.noteDamage()
      })
      .finally(() => {
        isCopying = false
      })
  }
}
