import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'

/**
 * A lock between processes that the kernel releases when its holder dies, however it dies: a SQLite file on which an
 * exclusive transaction is open. Nothing is ever written to it. Lock files with process ids cannot do this: ids are
 * used again, and mean nothing across containers.
 * @see https://sqlite.org/lockingv3.html
 */
export interface ProcessLock {
  readonly held: boolean
  /** @returns false where another process has it */
  tryAcquire(): boolean
  /** @param patience milliseconds  @returns false where another process had it all that time */
  acquire(patience: number): Promise<boolean>
  release(): void
  close(): void
}

/** Milliseconds between two tries. */
const pause = 3

/** @param file created where it does not exist; no other part of this process may open it */
export function openProcessLock(file: string): ProcessLock {
  const database = new Database(file, { timeout: 0 })
  let held = false
  let journaled = true

  function tryAcquire(): boolean {
    if (held) throw new Error('The process lock is held already.')
    try {
      // As nothing is written: a journal would be a file made and removed each time. It looks into the file, so it
      // fails like the lock itself while another process has that.
      if (journaled) database.exec('PRAGMA journal_mode = OFF')
      journaled = false
      database.exec('BEGIN EXCLUSIVE')
      held = true
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown
    }
    return held
  }

  return {
    get held() {
      return held
    },
    tryAcquire,
    async acquire(patience) {
      const end = performance.now() + patience
      while (!tryAcquire()) {
        if (performance.now() >= end) return false
        await sleep(pause)
      }
      return true
    },
    release() {
      if (held) database.exec('ROLLBACK')
      held = false
    },
    close() {
      if (held) database.exec('ROLLBACK')
      held = false
      database.close()
    },
  }
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('SQLITE_BUSY')
}
