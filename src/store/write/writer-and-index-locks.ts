import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProblemError } from '../../core/problem.js'
import { openIndexTurns } from '../locks/index-lock-turns.js'
import { acquireLockFile, hasOwnLocks } from '../locks/lock-file.js'
import { openProcessLock } from '../locks/process-lock.js'
import { openLockWatch, type StaleLock, staleLockText } from '../locks/stale-locks.js'
import type { Repository } from '../repository/open-repository.js'
import type { Checkout } from '../work-tree/checkout.js'
import { recoverFromCrash } from './crash-recovery.js'

/**
 * The locks of the write path: the one between processes of ours, and Git's own on the index. The first is held
 * whenever the second is; after a kill whatever else is locked is then known to be nobody's.
 */
export interface WriteLocks {
  /** The lock between processes is ours. */
  readonly held: boolean
  /** Milliseconds for which others have had no turn; with a work tree, for which git commands have had none. */
  readonly heldFor: number
  /**
   * Takes the lock between processes, and the first time clears up after a process that was killed.
   * @throws ProblemError `unavailable` where another process keeps it
   */
  take(): Promise<void>
  /**
   * Keeps everybody else's `git commit` from building on an index that lags behind the branch we are moving.
   * @throws ProblemError `unavailable` where a git command keeps it
   */
  takeIndex(): Promise<void>
  /**
   * Releases both; neither while the index lags behind: a person's commit would undo our newest updates.
   * @param turn milliseconds for which no process of ours takes the lock of the index again; default 0
   */
  release(turn?: number): void
  /** Locks of others that are there for longer than an update waits for them. */
  stale(): readonly StaleLock[]
  /** Begins to count anew how long they are held. */
  restartHoldTimer(): void
  /**
   * Whether another process of ours is writing, and `isCurrent` becomes true beside it: nothing to do then, and
   * nothing to clear up. So reading commands do not wait for the locks of a busy server.
   */
  otherWriterCatchesUp(isCurrent: () => boolean): Promise<boolean>
  /** Whether what a killed process left has been cleared up. */
  readonly recovered: boolean
  close(): void
}

export interface WriteLockOptions {
  readonly repository: Repository
  /** Undefined where the repository is bare. */
  readonly checkout: Checkout | undefined
  /** Milliseconds to wait for whoever has a lock. */
  readonly patience: number
  readonly report: (line: string) => void
}

/** Milliseconds between two looks at what another process of ours is doing. */
const turnPause = 5
/** Milliseconds a git command that used the index leaves for the next one. */
const forTheirNext = 500
/** Milliseconds that git commands are waited for at most. */
const longestPoliteness = 1500
/** Milliseconds after a release, or after a turn of git commands, in which the lock is taken again under load. */
const soon = 200
/** Milliseconds between two tries to take the index lock. */
const indexPause = 20

export function openWriteLocks({ repository, checkout, patience, report }: WriteLockOptions): WriteLocks {
  const { gitDir, ownDir, stagingDir } = repository
  const processLock = openProcessLock(`${ownDir}/writer.lock`)
  const turns = openIndexTurns(gitDir, ownDir)
  const watch = openLockWatch(repository, patience)
  let indexLock: ReturnType<typeof acquireLockFile>
  /** Since when others have had no turn, as `performance.now()` says it. */
  let since = 0
  let recovered = false

  async function take(): Promise<void> {
    if (processLock.held) return
    if (!(await processLock.acquire(patience))) {
      const message = `Another git-metastore process is writing to the repository: it holds ${ownDir}/writer.lock. Try again; if it goes on, end that process.`
      throw new ProblemError('unavailable', message, { retryAfter: 2 })
    }
    since = performance.now()
    // Another process of ours may have been killed since, with the work tree behind the branch.
    if (recovered && !hasOwnLocks(stagingDir)) return await mendIndex()
    recovered = false
    try {
      await recoverFromCrash({ repository, checkout, report, takeIndexLock: takeIndex })
      recovered = true
    } finally {
      // Without recovery nothing may be written: whoever comes next tries it again.
      if (!recovered) release()
    }
  }

  /** A person or a disk may have damaged the index since: nobody could follow the branch with it, or commit. */
  async function mendIndex(): Promise<void> {
    if (!checkout?.isServed() || checkout.behind || checkout.hasIndex()) return
    try {
      await takeIndex()
      await checkout.mend(await repository.head())
    } catch (thrown) {
      release()
      throw thrown
    }
  }

  async function takeIndex(): Promise<void> {
    if (!checkout || indexLock) return
    const last = turns.last()
    // Another process of ours may have begun a turn.
    if (last) await sleep(Math.max(0, last.turn - last.ago))
    // After `git add` comes `git commit`: under load, git commands that used the gap get some time for the next one.
    const isBack = last !== undefined && last.ago < last.turn + soon
    let known = isBack ? last.index : turns.index()
    let theirs = Number.NEGATIVE_INFINITY
    const start = performance.now()
    // A script that goes on for ever must not keep us out for ever.
    const politeUntil = start + Math.min(longestPoliteness, patience / 2)
    watch.look()
    for (let now = start; now < start + patience; now = performance.now()) {
      const index = turns.index()
      if (existsSync(join(gitDir, 'index.lock')) || index !== known) theirs = now
      known = index
      const isTheirs = now < politeUntil && now - theirs <= forTheirNext
      if (!isTheirs) indexLock = acquireLockFile(gitDir, stagingDir, 'index')
      if (indexLock) {
        since = performance.now() - turns.heldBefore()
        return
      }
      await sleep(indexPause)
    }
    const stale = watch.look().find(({ file }) => file === 'index.lock')
    const message =
      'Another git command is at work in the repository (.git/index.lock exists). Try again when it has ended; if none is running, remove that file.'
    throw new ProblemError('unavailable', stale ? staleLockText(stale) : message, { retryAfter: 2 })
  }

  function release(turn = 0): void {
    if (checkout?.behind) return
    try {
      if (indexLock) turns.released(performance.now() - since, turn)
    } finally {
      indexLock?.release()
      indexLock = undefined
      processLock.release()
    }
  }

  return {
    get held() {
      return processLock.held
    },
    get heldFor() {
      return processLock.held ? performance.now() - since : 0
    },
    get recovered() {
      return recovered
    },
    take,
    takeIndex,
    release,
    stale: watch.look,
    restartHoldTimer() {
      since = performance.now()
    },
    async otherWriterCatchesUp(isCurrent) {
      for (const end = performance.now() + patience; performance.now() < end; await sleep(turnPause)) {
        if (processLock.held) return false
        if (processLock.tryAcquire()) {
          processLock.release()
          return false
        }
        if (isCurrent()) return true
      }
      return false
    },
    close: () => processLock.close(),
  }
}
