import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Oid, toOid } from '../../core/value-types.js'
import { type NewFile, syncDirectory } from '../file-system/durable-files.js'
import { errorCode, undefinedIfMissing } from '../file-system/file-errors.js'
import { type HeldLockFile, type PreparedLockFile, prepareLockFile } from '../locks/lock-file.js'

/**
 * Reads a ref: its own file wins over `packed-refs`.
 * @param ref full name
 * @returns undefined if there is no such ref
 * @throws RangeError if its file contains no object name
 * @see gitrepository-layout(5), git-pack-refs(1)
 */
export function readRef(gitDir: string, ref: string): Oid | undefined {
  // Reads the loose ref again, because another process may move the ref between both places.
  return readLoose(gitDir, ref) ?? readPacked(gitDir, ref) ?? readLoose(gitDir, ref)
}

function readLoose(gitDir: string, ref: string): Oid | undefined {
  try {
    return undefinedIfMissing(() => toOid(readFileSync(join(gitDir, ref), 'latin1').trim()))
  } catch (error) {
    // A folder in place of the ref, or another ref in place of its folder.
    if (errorCode(error) === 'EISDIR' || errorCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function readPacked(gitDir: string, ref: string): Oid | undefined {
  const packed = undefinedIfMissing(() => readFileSync(join(gitDir, 'packed-refs'), 'latin1'))
  const line = packed?.split('\n').find(text => text.endsWith(` ${ref}`) && !text.startsWith('#'))
  return line === undefined ? undefined : toOid(line.slice(0, 40))
}

/**
 * Whether a missing branch existed before: the repository was opened before, and the branch has a reflog or the
 * repository has no other branch.
 * @param ownDir our own folder, which exists if a repository with a commit was opened
 */
export function isLost(gitDir: string, ownDir: string, branch: string): boolean {
  if (!existsSync(ownDir)) return false
  if (existsSync(join(gitDir, 'logs', branch))) return true
  const loose = undefinedIfMissing(() => readdirSync(join(gitDir, 'refs', 'heads'))) ?? []
  const packed = undefinedIfMissing(() => readFileSync(join(gitDir, 'packed-refs'), 'latin1')) ?? ''
  return loose.length === 0 && !/^[0-9a-f]{40} refs\/heads\//m.test(packed)
}

export type BranchMoveOutcome = 'moved' | 'not-there' | 'locked'

/** The parameters of a branch move. */
export interface BranchMove {
  readonly branch: string
  readonly from: Oid
  readonly to: Oid
  /** One line for the reflog. */
  readonly reason: string
  /** `Name <email> seconds +0000`. */
  readonly signature: string
  /** Milliseconds to wait for another process's lock on the branch. */
  readonly patience: number
}

/** Milliseconds between two tries to take a lock. */
const pause = 20

/** A branch move in steps, so that the new commit becomes durable before the branch leads to it. */
export interface PreparedBranchMove {
  /** The new value of the branch. The caller writes it durably before `hold`. */
  readonly value: NewFile
  /**
   * Locks the branch and checks that it still points at `from`.
   * @returns `not-there` if it does not, `locked` if another process held the lock all the time
   */
  hold(): 'held' | Exclude<BranchMoveOutcome, 'moved'>
  /**
   * Moves the locked branch durably. The lock file has the new value and becomes the branch by a rename, so a kill
   * leaves either the old value or the new one.
   */
  make(): void
  /** Releases the lock and removes temporary files. Call it at the end, whatever happened. */
  forget(): void
}

export function prepareBranchMove(gitDir: string, stagingDir: string, move: BranchMove): PreparedBranchMove {
  const { branch, from, to } = move
  const path = join(gitDir, branch)
  const own = prepareLockFile(gitDir, stagingDir, branch, Buffer.from(`${to}\n`))
  let lock: HeldLockFile | undefined
  return {
    value: own.file,
    hold() {
      mkdirSync(dirname(path), { recursive: true })
      lock = awaitLock(own, move.patience)
      if (!lock) return 'locked'
      return readRef(gitDir, branch) === from ? 'held' : 'not-there'
    },
    make() {
      if (!lock) throw new Error(`${branch} is not held.`)
      appendReflog(gitDir, move)
      lock.install()
      lock = undefined
      syncDirectory(dirname(path))
    },
    forget() {
      lock?.release()
      own.forget()
    },
  }
}

function awaitLock(own: PreparedLockFile, patience: number): HeldLockFile | undefined {
  const end = performance.now() + patience
  for (;;) {
    const lock = own.take()
    if (lock || performance.now() >= end) return lock
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
  }
}

/** Appends to existing logs only, like git. @see git-config(1), core.logAllRefUpdates */
function appendReflog(gitDir: string, move: BranchMove): void {
  const line = `${move.from} ${move.to} ${move.signature}\t${move.reason}\n`
  for (const log of [join(gitDir, 'logs', move.branch), join(gitDir, 'logs', 'HEAD')]) {
    if (existsSync(log)) appendFileSync(log, line)
  }
}
