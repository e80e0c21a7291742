import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { ProblemError } from '../../core/problem.js'
import { errorCode } from '../file-system/file-errors.js'

/**
 * A lock between processes that the kernel releases when its holder dies: an exclusive transaction on a SQLite file.
 * Nothing is written to the file. Lock files with process ids cannot do this, because ids are reused and differ between
 * containers.
 * @see https://sqlite.org/lockingv3.html
 */
interface ProcessLock {
  readonly held: boolean
  /** @returns false if another process holds the lock */
  tryAcquire(): boolean
  /** @param patience limit of the wait in milliseconds @returns false if another process held the lock all that time */
  acquire(patience: number): Promise<boolean>
  release(): void
  close(): void
}

/** Milliseconds between two tries. */
const pause = 3

/**
 * Opens a lock that at most one process holds. It is not held yet, and the kernel releases it when the process dies.
 * @param file created if it does not exist; no other part of this process may open it
 */
export function openProcessLock(file: string): ProcessLock {
  const database = new Database(file, { timeout: 0 })
  let held = false
  let journaled = true

  function tryAcquire(): boolean {
    if (held) throw new Error('The process lock is held already.')
    try {
      // Nothing is written, so no journal file is needed. The pragma reads the file, so it fails like BEGIN while
      // another process has the lock.
      if (journaled) database.exec('PRAGMA journal_mode = OFF')
      journaled = false
      database.exec('BEGIN EXCLUSIVE')
      held = true
    } catch (thrown) {
      const code = errorCode(thrown)
      if (code === 'SQLITE_NOTADB') throw damagedLock(file, thrown)
      if (!code?.startsWith('SQLITE_BUSY')) throw thrown
    }
    return held
  }

  function release(): void {
    if (held) database.exec('ROLLBACK')
    held = false
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
    release,
    close() {
      release()
      database.close()
    },
  }
}

/** The problem of a damaged lock file. It cannot be replaced here, because another process may have it open. */
function damagedLock(file: string, cause: unknown): ProblemError {
  const advice = 'Stop all git-metastore processes of this repository, delete the file, and try again.'
  return new ProblemError('unavailable', `The lock file ${file} is damaged. ${advice}`, {}, { cause })
}

/** File name in our own folder. */
const mergeLock = 'merge.lock'

/** Opens the lock to hold while packs are merged, or while no other process may merge them. It is not held yet. */
export function openMergeLock(ownDir: string) {
  return openProcessLock(join(ownDir, mergeLock))
}

/*
 * Tells whether a server runs on a repository: each server keeps a read transaction open on a SQLite file. The kernel
 * ends the transaction with the process. Nothing is written to the file. @see process-lock.ts
 */

/** Milliseconds to wait while another process is in {@link isServerRunning}, which locks the file for a moment. */
const patience = 2000

/** @param ownDir our own folder in the Git directory */
const fileIn = (ownDir: string) => join(ownDir, 'serving.lock')

/** Announces a server. @returns a function that ends the announcement */
export function announceServer(ownDir: string): () => void {
  const database = new Database(fileIn(ownDir), { timeout: patience })
  database.exec('BEGIN')
  try {
    database.prepare('SELECT count(*) FROM sqlite_master').raw(true).get([])
  } catch (thrown) {
    throw errorCode(thrown) === 'SQLITE_NOTADB' ? damagedLock(fileIn(ownDir), thrown) : thrown
  }
  return () => {
    database.exec('ROLLBACK')
    database.close()
  }
}

/** Whether a server runs on the repository. @throws ProblemError `unusable-repository` if the lock cannot be read */
export function isServerRunning(ownDir: string): boolean {
  const file = fileIn(ownDir)
  if (!existsSync(file)) return false
  let database: InstanceType<typeof Database> | undefined
  try {
    database = new Database(file, { timeout: 0 })
    database.exec('PRAGMA journal_mode = OFF')
    database.exec('BEGIN EXCLUSIVE')
    database.exec('ROLLBACK')
    return false
  } catch (thrown) {
    const code = errorCode(thrown) ?? ''
    if (code.startsWith('SQLITE_BUSY')) return true
    // The disk is read-only. No server can lock the file there, so none is running.
    if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN')) return false
    if (code === 'SQLITE_NOTADB') throw damagedLock(file, thrown)
    throw new ProblemError('unusable-repository', `${file} cannot be read.`, {}, { cause: thrown })
  } finally {
    database?.close()
  }
}
