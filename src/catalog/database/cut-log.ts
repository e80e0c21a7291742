import { fileState } from './file-state.js'
import { type Connection, maxLogBytes } from './sqlite-connection.js'

/**
 * Cuts the log that a large transaction has left. SQLite does so at the first write after all of the log is in the file,
 * which may come much later: until then the log takes as much space as the catalog. If the server ends without closing the
 * catalog, the next start reads the whole log, and the first update copies it into the file once more. Does nothing to a
 * log of which others still read.
 * @param max bytes that stay; the `journal_size_limit` of the connection
 * @see https://sqlite.org/pragma.html#pragma_journal_size_limit
 */
export function cutLog(connection: Connection, file: string, max = maxLogBytes): void {
  const { log } = fileState(file)
  if (!log || log.size <= max) return
  connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  // A write that changes nothing.
  const [version = 0] = connection.prepare<readonly [number]>('PRAGMA user_version').get() ?? []
  connection.exec(`PRAGMA user_version = ${version}`)
}
