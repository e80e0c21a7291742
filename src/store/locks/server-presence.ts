import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { ProblemError } from '../../core/problem.js'

/*
 * Whether a server works on a repository: a SQLite file on which each has a read transaction open, which the kernel
 * ends with the process. Nothing is ever written to it. @see process-lock.ts
 */

/** Milliseconds to wait for somebody who is just looking. */
const patience = 2000

/** @param ownDir our own folder in the Git directory */
const fileIn = (ownDir: string) => join(ownDir, 'serving.lock')

/** Says that a server runs. @returns what ends that */
export function announceServer(ownDir: string): () => void {
  const database = new Database(fileIn(ownDir), { timeout: patience })
  database.exec('BEGIN')
  database.prepare('SELECT count(*) FROM sqlite_master').raw(true).get([])
  return () => {
    database.exec('ROLLBACK')
    database.close()
  }
}

/** Looks whether a server runs. @throws ProblemError `unusable-repository` where one may not look */
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
    if (isOfKind(thrown, 'SQLITE_BUSY')) return true
    // What cannot be opened to write cannot be locked: on a read-only disk nobody serves.
    if (isOfKind(thrown, 'SQLITE_READONLY') || isOfKind(thrown, 'SQLITE_CANTOPEN')) return false
    throw new ProblemError('unusable-repository', `${file} cannot be looked at.`, {}, { cause: thrown })
  } finally {
    database?.close()
  }
}

function isOfKind(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith(code)
}
