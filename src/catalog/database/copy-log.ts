import type { BackgroundConnection } from './background-connection.js'
import { fileState } from './file-state.js'
import { maxLogBytes } from './sqlite-connection.js'
import { isDamage } from './sqlite-errors.js'

/** Revisions after which the log is copied into the file. */
const copyAfter = 500

interface LogCopierOptions {
  readonly background: BackgroundConnection
  /** The catalog. */
  readonly file: string
  /** Its `PRAGMA user_version`. */
  readonly version: number
  noteDamage(): void
  /** Bytes of the log that stay; default: {@link maxLogBytes}. */
  readonly max?: number
}

/**
 * Copies the log into the file in the background, after enough revisions and unless a copy is running. A checkpoint waits
 * for the disk three times, so that it does not run as part of a commit.
 *
 * Then cuts a log that a rebuild has left, unless a connection reads it. SQLite does so at the next write, which may come much
 * later: until then the log takes as much space as the catalog. If the server ends without closing the catalog, the next
 * start reads the whole log, and the first update copies it once more.
 * @returns takes the number of revisions that were committed
 * @see https://sqlite.org/wal.html, "Checkpointing"; https://sqlite.org/pragma.html#pragma_journal_size_limit
 */
export function openLogCopier(options: LogCopierOptions): (written: number) => void {
  const { background, file, version, max = maxLogBytes } = options
  let isCopying = false
  let sinceCopy = 0

  async function copy(): Promise<void> {
    const { log } = fileState(file)
    // A write that changes nothing.
    const cut = `PRAGMA journal_size_limit = ${max}; PRAGMA user_version = ${version}`
    const isLong = log !== undefined && log.size > max
    // In one call: a second one could come after the connection is closed, and would open it again.
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
        // Pages that were not copied stay in the log. The next write meets any error other than damage.
        if (isDamage(thrown)) options.noteDamage()
      })
      .finally(() => {
        isCopying = false
      })
  }
}
