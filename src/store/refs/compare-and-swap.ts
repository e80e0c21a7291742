import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Oid, toOid } from '../../core/value-types.js'
import { errorCode, type NewFile, syncDirectory, undefinedIfMissing } from '../file-system/durable-files.js'
import { type HeldLockFile, type PreparedLockFile, prepareLockFile } from '../locks/lock-file.js'

/**
 * What a branch, or any other ref, points at: its own file wins over `packed-refs`.
 * @param ref full name
 * @throws RangeError where its file names no object
 * @see gitrepository-layout(5), git-pack-refs(1)
 */
export function readRef(gitDir: string, ref: string): Oid | undefined {
  // A third look, because `git pack-refs` may move it between the first two.
  return readLoose(gitDir, ref) ?? readPacked(gitDir, ref) ?? readLoose(gitDir, ref)
}

function readLoose(gitDir: string, ref: string): Oid | undefined {
  try {
    return undefinedIfMissing(() => toOid(readFileSync(join(gitDir, ref), 'latin1').trim()))
  } catch (error) {
    // A folder that other refs are or were in, or a ref where the folder would be.
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
 * Whether a branch that has no commit had one: of a repository that was opened before, the branch has a log or is the only one.
 * @param ownDir our own folder, which is made when a repository is opened that has a commit
 */
export function isLost(gitDir: string, ownDir: string, branch: string): boolean {
  if (!existsSync(ownDir)) return false
  if (existsSync(join(gitDir, 'logs', branch))) return true
  const loose = undefinedIfMissing(() => readdirSync(join(gitDir, 'refs', 'heads'))) ?? []
  const packed = undefinedIfMissing(() => readFileSync(join(gitDir, 'packed-refs'), 'latin1')) ?? ''
  return loose.length === 0 && !/^[0-9a-f]{40} refs\/heads\//m.test(packed)
}

export type BranchMoveOutcome = 'moved' | 'not-there' | 'locked'

/** What a move of a branch needs to know. */
export interface BranchMove {
  readonly branch: string
  readonly from: Oid
  readonly to: Oid
  /** One line for the reflog. */
  readonly reason: string
  /** `Name <email> seconds +0000`. */
  readonly signature: string
  /** Milliseconds to wait for somebody else's lock on the branch. */
  readonly patience: number
}

/** Milliseconds between two tries to take a lock. */
const pause = 20

/** A move of a branch that only waits for what the branch is to lead to. */
export interface PreparedBranchMove {
  /** The new value of the branch: to be written durably before the move is made. */
  readonly value: NewFile
  /**
   * Takes the lock of the branch if it still points at `from`: nobody can move it then.
   * @returns `not-there` where somebody moved it, `locked` where somebody held its lock all the time
   */
  hold(): 'held' | Exclude<BranchMoveOutcome, 'moved'>
  /**
   * Moves the branch that is held, durably. The lock file carries the new value and becomes the branch by rename, so
   * that a kill at any point leaves the old value or the new one.
   */
  make(): void
  /** Lets go of the branch and clears up, at the end and whatever has happened. */
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

/** Like git, only to logs that exist. @see git-config(1), core.logAllRefUpdates */
function appendReflog(gitDir: string, move: BranchMove): void {
  const line = `${move.from} ${move.to} ${move.signature}\t${move.reason}\n`
  for (const log of [join(gitDir, 'logs', move.branch), join(gitDir, 'logs', 'HEAD')]) {
    if (existsSync(log)) appendFileSync(log, line)
  }
}
