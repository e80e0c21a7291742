import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryParseJson } from '../../core/json/try-parse.js'
import { ProblemError } from '../../core/problem.js'
import { overwriteFile } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import {
  acquireLockFile,
  hasOwnLocks,
  openLockWatch,
  type StaleLock,
  staleLockText,
} from '../locks/lock-file.js'
import { openProcessLock } from '../locks/process-lock.js'
import type { Repository } from '../repository/open-repository.js'
import { Checkout } from '../work-tree/checkout.js'
import type { FileUpdate } from '../work-tree/update-files.js'
import { recoverFromCrash } from './crash-recovery.js'
import { updatesLostFromIndex } from './outdated-index.js'

/** Length of a turn for git commands, in milliseconds: longer than a script waits before it tries to lock again. */
export const maxGitTurn = 200
/** If the lock is free for less than a turn, each millisecond of that cancels this many milliseconds of holding it. */
const credit = 3

/** A record of the moment when one of our processes released the lock. */
interface IndexRelease {
  readonly at: number
  /** Milliseconds for which the lock was held since the last turn for git commands. */
  readonly held: number
  /** Length of the turn for git commands that began then, in milliseconds; 0 if none began. */
  readonly turn: number
  /** Inode and modification time of the index file; git replaces the file with every change. */
  readonly index: string | undefined
}

/**
 * A file that records when `.git/index.lock` was free for git commands. All git-metastore processes on the repository
 * share it. Otherwise two servers that alternate on the lock would leave no gap for git. Only the holder of the process
 * lock writes the file. Times are milliseconds since 1970, because processes share no other clock.
 */
class IndexLockTurns {
  readonly #file: string
  readonly #indexFile: string
  /** The index at the last release by this process. */
  #own: string | undefined

  constructor(gitDir: string, ownDir: string) {
    this.#file = join(ownDir, 'index-turns')
    this.#indexFile = join(gitDir, 'index')
  }

  /** Records that the lock is released now. */
  released(held: number, turn: number): void {
    const release: IndexRelease = { at: Date.now(), held: Math.round(held), turn, index: this.index() }
    overwriteFile(this.#file, `${JSON.stringify(release)}\n`)
    this.#own = release.index
  }

  /** Whether the index is as it was when this process recorded its last release. Reads no file. */
  get isUntouched(): boolean {
    return this.#own !== undefined && this.#own === this.index()
  }

  /** The last recorded release; undefined if there is none, or if the clock was set back since. */
  last(): (IndexRelease & { readonly ago: number }) | undefined {
    const release = parse(undefinedIfMissing(() => readFileSync(this.#file, 'utf8')) ?? '')
    const ago = release ? Date.now() - release.at : -1
    return release && ago >= 0 ? { ...release, ago } : undefined
  }

  /** Milliseconds for which the lock already counts as held if it is taken now. @param release the last one */
  heldBefore(release: IndexRelease | undefined): number {
    const ago = release ? Date.now() - release.at : maxGitTurn
    return release && ago >= 0 && ago < maxGitTurn ? Math.max(0, release.held - credit * ago) : 0
  }

  /** Inode and modification time of the index file; undefined if there is no such file. */
  index(): string | undefined {
    const found = statSync(this.#indexFile, { bigint: true, throwIfNoEntry: false })
    return found && `${found.ino} ${found.mtimeNs}`
  }
}

/**
 * @param text begins with the line of the last release; the end of a longer, earlier one may follow
 * @returns undefined if the text is not a release: the file is not synced, so a crash may leave it empty
 */
function parse(text: string): IndexRelease | undefined {
  const { at, held, turn, index } = (tryParseJson(text.slice(0, text.indexOf('\n'))) ??
    {}) as Partial<IndexRelease>
  if (![at, held, turn].every(Number.isFinite)) return undefined
  return { at: at as number, held: held as number, turn: turn as number, index }
}

interface WriteLockParts {
  readonly repository: Repository
  /** Undefined: the repository is bare. */
  readonly checkout: Checkout | undefined
  /** Milliseconds to wait for another holder of a lock. */
  readonly patience: number
  readonly report: (line: string) => void
}

/** Milliseconds between two checks of another process's progress. */
const turnPause = 5
/** Milliseconds that the index stays free after a git command used it, for the user's next command. */
const forTheirNext = 500
/** Longest time in milliseconds that the index stays free for git commands. */
const maxPoliteness = 1500
/**
 * Milliseconds after a turn of git commands. If the index lock is wanted within them, the index is compared with its
 * state before the turn, to see whether a git command used the turn.
 */
const soon = 200
/** Milliseconds between two tries to take the index lock. */
const indexPause = 20
/** Milliseconds after a git command in which more are expected. */
const gitMemory = 10_000

/**
 * The locks of the write path: the process lock, and Git's lock of the index, which is only held together with the
 * process lock. So after a kill, the next holder of the process lock may remove all other locks.
 */
export class WriteLocks {
  readonly #processLock: ReturnType<typeof openProcessLock>
  readonly #turns: IndexLockTurns
  readonly #staleLocks: ReturnType<typeof openLockWatch>
  #indexLock: ReturnType<typeof acquireLockFile>
  /** Start of the current hold, by `performance.now()`; an earlier hold without a turn of git commands counts too. */
  #since = 0
  #recovered: boolean
  /** Time at which a git command was last seen, by `performance.now()`. */
  #gitSeenAt = Number.NEGATIVE_INFINITY
  /** State of an index that a git command has written and that lacks no update. */
  #checkedIndex: string | undefined

  constructor(private readonly parts: WriteLockParts) {
    const { gitDir, ownDir } = parts.repository
    this.#processLock = openProcessLock(`${ownDir}/writer.lock`)
    this.#turns = new IndexLockTurns(gitDir, ownDir)
    this.#staleLocks = openLockWatch(parts.repository, parts.patience)
    this.#recovered = false
  }

  /** Whether this process holds the process lock. */
  get held(): boolean {
    return this.#processLock.held
  }

  /** Milliseconds without a turn of other processes; with a work tree, without a turn of git commands. */
  get heldFor(): number {
    return this.#processLock.held ? performance.now() - this.#since : 0
  }

  /** Whether a git command of a user used the index lately. */
  get isGitActive(): boolean {
    return performance.now() - this.#gitSeenAt < gitMemory
  }

  /** Whether a git command has written the index, and {@link restoreIndex} has not checked it yet. */
  get isIndexUnchecked(): boolean {
    const { repository, checkout } = this.parts
    if (!checkout || this.#indexLock || this.#turns.isUntouched) return false
    if (existsSync(join(repository.gitDir, 'index.lock'))) return false
    return this.#isUnchecked(this.#turns.last())
  }

  /** Whether the remains of killed processes were removed. */
  get recovered(): boolean {
    return this.#recovered
  }

  /**
   * Takes the process lock. The first time, also removes the remains of killed processes.
   * @throws ProblemError `unavailable` if another process keeps it
   */
  async take(): Promise<void> {
    if (this.#processLock.held) return
    const { repository, checkout, patience, report } = this.parts
    const { ownDir, stagingDir } = repository
    if (!(await this.#processLock.acquire(patience))) {
      const message = `Another git-metastore process is writing to the repository: it holds ${ownDir}/writer.lock. Try again; if it goes on, end that process.`
      throw new ProblemError('unavailable', message, { retryAfter: 2 })
    }
    this.#since = performance.now()
    // Own locks: another process was killed meanwhile, and the work tree may be behind the branch.
    if (this.#recovered && !hasOwnLocks(stagingDir)) return await this.#mendIndex()
    this.#recovered = false
    try {
      await recoverFromCrash({ repository, checkout, report, takeIndexLock: () => this.takeIndex() })
      this.#recovered = true
    } finally {
      // Without recovery, nothing may be written. The next call tries again.
      if (!this.#recovered) this.release()
    }
  }

  /**
   * Takes the lock of the index, so that no `git commit` of a user is based on an index behind the branch.
   * @throws ProblemError `unavailable` if a git command keeps it
   */
  async takeIndex(): Promise<void> {
    const { repository, checkout, patience } = this.parts
    const { gitDir, stagingDir } = repository
    if (!checkout || this.#indexLock) return
    const last = this.#turns.last()
    // Another process may have begun a turn of git commands.
    if (last && last.ago < last.turn) await sleep(last.turn - last.ago)
    // After `git add` comes `git commit`: a git command that used the gap gets time for the next one.
    const isBack = last !== undefined && last.ago < last.turn + soon
    let known = isBack ? last.index : this.#turns.index()
    let theirs = Number.NEGATIVE_INFINITY
    let lost = await this.#findLostUpdates(last)
    const lockFile = join(gitDir, 'index.lock')
    // Before the wait begins: a lock that outlasts it has then been seen for at least as long, and counts as stale.
    if (existsSync(lockFile)) this.#staleLocks()
    const start = performance.now()
    // Limits the time, because a script may repeat commands without end.
    const politeUntil = start + Math.min(maxPoliteness, patience / 2)
    for (let now = start; now < start + patience; now = performance.now()) {
      const index = this.#turns.index()
      if (existsSync(lockFile) || index !== known) {
        theirs = now
        this.#gitSeenAt = now
        lost = await this.#findLostUpdates(last)
      }
      known = index
      // Their next command would undo lost updates.
      const isTheirs = lost.length === 0 && now < politeUntil && now - theirs <= forTheirNext
      if (!isTheirs) this.#indexLock = acquireLockFile(gitDir, stagingDir, 'index')
      if (this.#indexLock) {
        this.#since = performance.now() - this.#turns.heldBefore(last)
        return await this.#enqueueLostUpdates(last)
      }
      await sleep(indexPause)
    }
    const stale = this.#staleLocks().find(({ file }) => file === 'index.lock')
    const message =
      'Another git command is at work in the repository (.git/index.lock exists). Try again when it has ended; if none is running, remove that file.'
    throw new ProblemError('unavailable', stale ? staleLockText(stale) : message, { retryAfter: 2 })
  }

  /**
   * Puts updates back into the index that a git command has lost. The work tree is then behind, until they are applied.
   * @throws ProblemError `unavailable` like {@link takeIndex}
   */
  async restoreIndex(): Promise<void> {
    if (this.isIndexUnchecked && (await this.#findLostUpdates(this.#turns.last())).length > 0)
      await this.takeIndex()
  }

  /**
   * Releases both locks, unless the index is behind the branch: a user's commit would then undo our newest updates.
   * @param turn milliseconds for which no git-metastore process takes the lock of the index; default 0
   */
  release(turn = 0): void {
    if (this.parts.checkout?.behind) return
    try {
      if (this.#indexLock) this.#turns.released(performance.now() - this.#since, turn)
    } finally {
      this.#indexLock?.release()
      this.#indexLock = undefined
      this.#processLock.release()
    }
  }

  /** Locks of other programs that are older than an update waits. */
  stale(): readonly StaleLock[] {
    return this.#staleLocks()
  }

  /** Restarts {@link heldFor}. */
  restartHoldTimer(): void {
    this.#since = performance.now()
  }

  /**
   * Waits until another git-metastore process makes `isCurrent` true, so that readers do not wait for the locks of a
   * busy server.
   * @returns false if no other process is writing, or `isCurrent` stays false
   */
  async otherWriterCatchesUp(isCurrent: () => boolean): Promise<boolean> {
    const end = performance.now() + this.parts.patience
    for (; performance.now() < end; await sleep(turnPause)) {
      if (this.#processLock.held) return false
      if (this.#processLock.tryAcquire()) {
        this.#processLock.release()
        return false
      }
      if (isCurrent()) return true
    }
    return false
  }

  close(): void {
    this.#processLock.close()
  }

  /** Whether a git command has written the index. @param last the last release by one of our processes */
  #isUnchecked(last: IndexRelease | undefined): boolean {
    const { checkout } = this.parts
    const index = this.#turns.index()
    const isTheirs = last !== undefined && index !== last.index && index !== this.#checkedIndex
    return isTheirs && checkout?.isServed() === true && !checkout.behind
  }

  /** Finds updates that a git command has lost from the index. @param last the last release by one of our processes */
  async #findLostUpdates(last: IndexRelease | undefined): Promise<readonly FileUpdate[]> {
    const { repository, checkout, report } = this.parts
    if (!this.#isUnchecked(last)) return []
    const index = this.#turns.index()
    const reflected = checkout?.lastAppliedCommit()
    try {
      const lost = reflected === undefined ? [] : await updatesLostFromIndex(repository, reflected)
      if (lost.length === 0) this.#checkedIndex = index
      return lost
    } catch (thrown) {
      // Updates do not need the check. It is repeated when git has written the index again.
      this.#checkedIndex = index
      report(`The index that a git command has written could not be checked: ${String(thrown)}`)
      return []
    }
  }

  async #enqueueLostUpdates(last: IndexRelease | undefined): Promise<void> {
    const { checkout, report } = this.parts
    const lost = await this.#findLostUpdates(last)
    const reflected = checkout?.lastAppliedCommit()
    if (lost.length === 0 || reflected === undefined) return
    report(
      `A git command began before ${lost.length} files were updated, and wrote an index without them: they are put back into the index.`,
    )
    checkout?.enqueue(lost, reflected)
  }

  /** Rebuilds the index if a user or the disk has damaged it. */
  async #mendIndex(): Promise<void> {
    const { repository, checkout } = this.parts
    if (this.#turns.isUntouched || !checkout?.isServed() || checkout.behind || checkout.hasIndex()) return
    try {
      await this.takeIndex()
      await checkout.mend(await repository.head())
    } catch (thrown) {
      this.release()
      throw thrown
    }
  }
}

interface ExclusiveRunOptions {
  /** Milliseconds to wait for other git-metastore processes. */
  readonly patience: number
  readonly report: (line: string) => void
}

/**
 * Runs a job of git commands that write, while no git-metastore process writes and the index is at the branch. First
 * removes the remains of killed processes.
 * @param job gets a function that also takes the lock of the index, until the end of the job
 * @throws ProblemError `unavailable` if another process keeps a lock
 */
export async function runExclusively<T>(
  repository: Repository,
  { patience, report }: ExclusiveRunOptions,
  job: (takeIndex: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const checkout = repository.bare ? undefined : new Checkout(repository, report)
  const locks = new WriteLocks({ repository, checkout, patience, report })
  try {
    await locks.take()
    await locks.restoreIndex()
    if (checkout?.behind) {
      await checkout.applyPending()
      // Git takes the lock of the index itself.
      locks.release()
      await locks.take()
    }
    return await job(async () => {
      await locks.takeIndex()
      await checkout?.applyPending()
    })
  } finally {
    locks.release()
    locks.close()
    await checkout?.close()
  }
}
