import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { ProblemError } from '../../core/problem.js'
import { errorCode } from '../file-system/file-errors.js'
import { damagedLock } from './process-lock.js'

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
