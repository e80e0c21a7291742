import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Oid, toInstant } from '../../core/value-types.js'
import { type NewFile, syncFolder, writeFilesDurably } from '../file-system/durable-files.js'
import { type GitDirectory, packFolder } from '../git-commands/git-directory.js'
import { type HeldLockFile, type PreparedLockFile, prepareLockFile } from '../locks/lock-file.js'
import { identityLine, serviceIdentity } from '../objects/commit-format.js'
import { readRef } from './read-refs.js'

/*
 * Moves a branch by compare-and-swap under git's own lock. @see git-update-ref(1)
 */

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
  /** Limit of the wait for another process's lock on the branch, in milliseconds. */
  readonly patience: number
}

/** Milliseconds between two tries to take a lock. */
const pause = 20

/** A branch move in steps, so that the new commit becomes durable before the branch leads to it. */
export interface PreparedBranchMove {
  /** The new value of the branch. The caller writes it durably before `take`. */
  readonly file: NewFile
  /**
   * Locks the branch and checks that it still points at `from`.
   * @returns `not-there` if it does not point there, `locked` if another process held the lock all the time
   */
  take(): 'held' | Exclude<BranchMoveOutcome, 'moved'>
  /**
   * Moves the locked branch durably. The lock file has the new value and becomes the branch by a rename, so a kill
   * leaves either the old value or the new one.
   */
  install(): void
  /** Releases the lock and removes temporary files. Call it at the end, whatever happened. */
  forget(): void
}

export function prepareBranchMove(gitDir: string, stagingDir: string, move: BranchMove): PreparedBranchMove {
  const { branch, from, to } = move
  const path = join(gitDir, branch)
  const own = prepareLockFile(gitDir, stagingDir, branch, Buffer.from(`${to}\n`))
  let lock: HeldLockFile | undefined
  return {
    file: own.file,
    take() {
      mkdirSync(dirname(path), { recursive: true })
      lock = awaitLock(own, move.patience)
      if (!lock) return 'locked'
      return readRef(gitDir, branch) === from ? 'held' : 'not-there'
    },
    install() {
      if (!lock) throw new Error(`${branch} is not held.`)
      appendReflog(gitDir, move)
      lock.install()
      lock = undefined
      syncFolder(dirname(path))
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

/** Appends a line to those reflogs that exist. @see git-config(1), core.logAllRefUpdates */
function appendReflog(gitDir: string, move: BranchMove): void {
  const line = `${move.from} ${move.to} ${move.signature}\t${move.reason}\n`
  for (const log of [join(gitDir, 'logs', move.branch), join(gitDir, 'logs', 'HEAD')]) {
    if (existsSync(log)) appendFileSync(log, line)
  }
}

/** Limit of the wait for another process's lock on the branch, in milliseconds. The wait blocks the thread. */
const patience = 200

/**
 * Moves the branch durably to a commit that git fetched. The caller holds the writer lock and has checked that `to`
 * continues `from`.
 * @returns `not-there` if the branch is not at `from`, `locked` if another process held its lock
 */
export async function fastForwardBranch(
  { gitDir, stagingDir, branch }: Pick<GitDirectory, 'gitDir' | 'stagingDir'> & { readonly branch: string },
  from: Oid,
  to: Oid,
  reason: string,
): Promise<BranchMoveOutcome> {
  const signature = identityLine(serviceIdentity, toInstant(Date.now()))
  const move = { branch, from, to, reason, signature, patience }
  const prepared = prepareBranchMove(gitDir, stagingDir, move)
  try {
    // Make the names of the fetched packs durable first: a durable branch must lead to durable objects.
    syncFolder(packFolder(gitDir))
    await writeFilesDurably([prepared.file])
    const state = prepared.take()
    if (state !== 'held') return state
    prepared.install()
    return 'moved'
  } finally {
    prepared.forget()
  }
}
