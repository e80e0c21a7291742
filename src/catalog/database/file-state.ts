import { statSync } from 'node:fs'
import { undefinedIfMissing } from '../../store/file-system/file-errors.js'
import { maxLogBytes } from './sqlite-connection.js'

/** Identity and size of a SQLite file and of its write-ahead log; undefined if the file is missing. */
export interface DatabaseFileState {
  readonly file: OneFile | undefined
  readonly log: OneFile | undefined
}

interface OneFile {
  readonly inode: bigint
  readonly size: bigint
}

export function databaseFileState(path: string): DatabaseFileState {
  return { file: statFile(path), log: statFile(`${path}-wal`) }
}

/** Does not open the file: closing it would release all locks of SQLite. @see fcntl(2), "Advisory record locking" */
function statFile(path: string): OneFile | undefined {
  const stats = undefinedIfMissing(() => statSync(path, { bigint: true }))
  return stats && { inode: stats.ino, size: stats.size }
}

/** Says whether another program changed the file: SQLite never shrinks the file, nor the log of an open connection. */
export function isHarmed(before: DatabaseFileState, now: DatabaseFileState): boolean {
  return (['file', 'log'] as const).some(which => {
    const [was, is] = [before[which], now[which]]
    if (!was) return false
    if (!is || is.inode !== was.inode) return true
    return is.size < was.size && (which === 'file' || is.size < maxLogBytes)
  })
}
