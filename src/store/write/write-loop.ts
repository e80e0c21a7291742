import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { errorCode } from '../file-system/file-errors.js'
import { serviceIdentity } from '../objects/commit-format.js'
import type { BackgroundMerger } from '../packs/background-merger.js'
import type { Repository } from '../repository/open-repository.js'
import { spreadOf } from '../repository-folder/staging-folder.js'
import type { Checkout } from '../work-tree/checkout.js'
import type { StaleFileRemoval } from './crash-recovery.js'
import type { Flush, QueuedUpdate } from './flush.js'
import type { ServedBranch } from './served-branch.js'
import { quietBeforeRefresh, retryRefresh, type WorkTreeRefresh } from './work-tree-refresh.js'
import type { WriteLocks } from './writer-and-index-locks.js'

interface WriteLoopParts {
  readonly repository: Repository
  readonly checkout: Checkout | undefined
  readonly locks: WriteLocks
  readonly branch: ServedBranch
  readonly flush: Flush
  readonly refresh: WorkTreeRefresh
  readonly packs: BackgroundMerger
  readonly staleFiles: StaleFileRemoval
  /** Length of a turn of git commands in milliseconds; 0: no turns. */
  readonly gitTurn: number
  readonly report: (line: string) => void
}

/** Limit of updates in one flush: enough to share the cost of an fsync, few enough to keep the wait short. */
const maxBatch = 256
/** Bytes of content waiting for the work tree from which updates wait for a refresh. */
const maxWaiting = 64 * 1024 * 1024
/**
 * Number of failed refreshes after which closing leaves the rest to the next start. More than one, because Ctrl-C in a
 * terminal also ends the git process of a running refresh.
 */
const maxFailuresAtEnd = 2
/** Number of updates since the locks were taken from which more are expected. */
const many = 20
/** Length in milliseconds of a turn for git-metastore processes only, which check the lock every few milliseconds. */
const turnOfProcesses = 15
/** Longest wait for an update in milliseconds while a refresh is running. */
const maxWait = 3000

interface Pending {
  resolve(): void
  reject(error: unknown): void
}

interface PendingMove extends Pending {
  readonly move: (head: Oid) => Promise<void>
}

/** Processes queued requests one flush after another, until the work tree is at the branch and no lock is held. */
export class WriteLoop {
  readonly #updates: QueuedUpdate[] = []
  readonly #catchUps: Pending[] = []
  readonly #moves: PendingMove[] = []
  #running: Promise<void> | undefined
  #isClosing: boolean
  #failuresBeforeClose = 0
  #updatesSinceLock = 0
  /** Ends the wait for the next request. */
  #endWait: (() => void) | undefined
  /** The reason why no update is possible until a restart, after a failure of the disk. */
  #broken: ProblemError | undefined

  constructor(private readonly parts: WriteLoopParts) {
    this.#isClosing = false
  }

  /** Number of queued updates. */
  get waiting(): number {
    return this.#updates.length
  }

  get isClosing(): boolean {
    return this.#isClosing
  }

  get takesUpdates(): boolean {
    return !this.#broken && !this.#isClosing
  }

  /** Queues an update. @returns its commit; undefined: nothing changed */
  update({ author, plan }: Pick<QueuedUpdate, 'author' | 'plan'>): Promise<Oid | undefined> {
    return new Promise((resolve, reject) => {
      this.#updates.push({ author, plan, resolve, reject })
      this.#wake()
    })
  }

  /** Queues an update without changes before all others. */
  async probe(): Promise<void> {
    await new Promise<unknown>((resolve, reject) => {
      this.#updates.unshift({ author: serviceIdentity, plan: () => undefined, resolve, reject })
      this.#wake()
    })
  }

  catchUp(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#catchUps.push({ resolve, reject })
      this.#wake()
    })
  }

  runWhileLocked(move: (head: Oid) => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#moves.push({ move, resolve, reject })
      this.#wake()
    })
  }

  /** Records that a flush has written updates. */
  flushed(updates: number): void {
    this.#updatesSinceLock += updates
  }

  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Finishes the queue. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#failuresBeforeClose = this.parts.refresh.failures
    await this.settled()
  }

  get #hasRequests(): boolean {
    return this.#updates.length > 0 || this.#catchUps.length > 0 || this.#moves.length > 0
  }

  #wake(): void {
    this.#endWait?.()
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#hasRequests) this.#wake()
    })
  }

  async #run(): Promise<void> {
    const { checkout, refresh, packs, staleFiles, report } = this.parts
    for (;;) {
      if (this.#hasRequests && refresh.isOthersTurn) await this.#giveTurn()
      if (this.#hasRequests) {
        await this.#serve(this.#updates.splice(0, maxBatch), this.#catchUps.splice(0))
        for (const move of this.#moves.splice(0, 1)) await this.#serveMove(move)
        // If no update waits for the next flush, the responses are sent before the work that follows.
        if (!this.#hasRequests) await nextIteration()
        packs.mergeIfDue()
        staleFiles.removeIfDue()
        if (refresh.isDue) void refresh.start()
        // Bounds the memory for pending content.
        if (checkout && checkout.waiting >= maxWaiting) await refresh.start()
      } else if (refresh.running) {
        await this.#waitForRequest(maxWait, refresh.running)
      } else if (checkout?.behind && !this.#givesUpRefreshing) {
        await this.#waitForRequest(
          this.#updatesSinceLock < many ? quietBeforeRefresh.afterFew : quietBeforeRefresh.afterMany,
        )
        if (!this.#hasRequests) void refresh.start()
      } else {
        break
      }
    }
    if (checkout?.behind) {
      report('The work tree is left behind the branch, and locked; the next start brings it up to date.')
    }
    this.#releaseLocks()
  }

  get #givesUpRefreshing(): boolean {
    return this.#isClosing && this.parts.refresh.failures >= this.#failuresBeforeClose + maxFailuresAtEnd
  }

  /** Waits for the next request, a time-out, or another promise. */
  async #waitForRequest(milliseconds: number, other?: Promise<void>): Promise<void> {
    if (this.#hasRequests) return
    let timer: NodeJS.Timeout | undefined
    await Promise.race([
      new Promise<void>(resolve => {
        this.#endWait = resolve
        timer = setTimeout(resolve, milliseconds)
      }),
      ...(other ? [other] : []),
    ])
    clearTimeout(timer)
    this.#endWait = undefined
  }

  /** Updates the work tree and releases the locks for a moment, while updates wait. */
  async #giveTurn(): Promise<void> {
    const { refresh, locks, gitTurn } = this.parts
    await refresh.settle()
    this.#releaseLocks(gitTurn)
    locks.restartHoldTimer()
    this.#updatesSinceLock = many
    if (!locks.held) await sleep(gitTurn || turnOfProcesses)
  }

  /** Releases all locks; tries again after a failure of the disk. @param turn milliseconds for git commands */
  #releaseLocks(turn = 0): void {
    try {
      this.parts.locks.release(turn)
    } catch (thrown) {
      this.parts.report(`Locks could not be released; the server tries again: ${String(thrown)}`)
      // The next start removes locks that remain at the end.
      const again = () => {
        if (!this.#running && !this.#isClosing) this.#releaseLocks()
      }
      setTimeout(again, retryRefresh).unref()
    }
  }

  async #serve(updates: readonly QueuedUpdate[], catchUps: readonly Pending[]): Promise<void> {
    if (updates.length === 0 && catchUps.length === 0) return
    try {
      await this.#takeLocks()
      if (updates.length > 0) await this.parts.flush.run(updates)
      else {
        await this.parts.branch.catchUp()
        await this.parts.locks.restoreIndex()
      }
      for (const pending of catchUps) pending.resolve()
    } catch (thrown) {
      const error = this.#explain(thrown)
      for (const pending of [...updates, ...catchUps]) pending.reject(error)
    }
  }

  async #serveMove({ move, resolve, reject }: PendingMove): Promise<void> {
    try {
      await this.#takeLocks()
      await this.parts.branch.runWhileLocked(move)
      resolve()
    } catch (thrown) {
      reject(this.#explain(thrown))
    }
  }

  async #takeLocks(): Promise<void> {
    const { locks, branch } = this.parts
    if (this.#broken) throw this.#broken
    if (!locks.held) this.#updatesSinceLock = 0
    await locks.take()
    await branch.rejoin()
  }

  #explain(thrown: unknown): unknown {
    const { repository, branch, report } = this.parts
    const problem = problemOfFailure(thrown, repository, branch.isUnsure)
    if (problem instanceof ProblemError && isDiskFailure(thrown)) {
      this.#broken = problem
      report(`${problem.message} ${String(thrown)}`)
    }
    return problem
  }
}

/** Whether the disk failed while writing; then repeating the write may report a false success. @see fsync(2), EIO */
function isDiskFailure(thrown: unknown): boolean {
  return errorCode(thrown) === 'EIO'
}

/**
 * Translates a failure of the write path.
 * @param isUnsure whether the branch may have moved nevertheless
 * @returns a ProblemError for failures of the file system; any other error unchanged
 */
function problemOfFailure(thrown: unknown, repository: Repository, isUnsure: boolean): unknown {
  if (thrown instanceof ProblemError) return thrown
  const code = errorCode(thrown)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const what = isUnsure ? 'whether the update was stored shows when there is room' : 'nothing was stored'
    return new ProblemError('no-space', `The disk is full; ${what}.`, {}, { cause: thrown })
  }
  if (isDiskFailure(thrown)) {
    return new ProblemError(
      'unavailable',
      'The disk reported an error while writing. The server takes no more updates until it is started again.',
      {},
      { cause: thrown },
    )
  }
  if (code === 'EXDEV') return spreadOf(repository) ?? thrown
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    return new ProblemError('unavailable', 'The repository cannot be written to.', {}, { cause: thrown })
  }
  return thrown
}
