import { setTimeout as sleep } from 'node:timers/promises'
import type { Checkout } from '../work-tree/checkout.js'
import type { WriteLocks } from './writer-and-index-locks.js'

interface RefreshParts {
  readonly checkout: Checkout | undefined
  readonly locks: WriteLocks
  /** Length of a turn of git commands in milliseconds; 0: no turns. */
  readonly gitTurn: number
  readonly report: (line: string) => void
}

/** Milliseconds without an update before a refresh, after few updates and after many. */
export const quietBeforeRefresh = { afterFew: 10, afterMany: 150 }
/**
 * Under load, the pause after a refresh in milliseconds: at least the first, and the second times the duration of its
 * work on git's index.
 */
const [minPause, refreshFactor] = [1000, 20]
/** Milliseconds before the retry of a refresh that failed repeatedly. */
export const retryRefresh = 1000
/** Milliseconds after which a failure counts as the first one again. A first failure is not reported. */
const failureMemory = 60_000
/** Longest hold of the locks in milliseconds if git commands get no turns, as in a bare repository. */
const maxHold = 3000
/**
 * Longest hold of `.git/index.lock` in milliseconds between two turns of git commands: while no git command is seen, and
 * after one. A user's command that is repeated succeeds within five seconds, and the next one sooner.
 */
const [maxIndexHold, maxHoldAfterGit] = [4200, 1200]
/** Longest hold in milliseconds while refreshes fail. */
const maxHoldInTrouble = 12_000
/** Milliseconds by which a running refresh may delay a turn. */
const maxDelay = 300
/** Content in bytes that is applied in a turn instead of before it. */
const littleWaiting = 256 * 1024

/** Decides when the work tree and the index are updated, and when the locks are released for other processes. */
export class WorkTreeRefresh {
  #running: Promise<void> | undefined
  /** Earliest start of the next refresh, by `performance.now()`. */
  #nextAt = 0
  /** Milliseconds of the last refresh for the index, and for each byte of files. */
  #last = { index: 0, perByte: 0 }
  /** Duration of the last flush in milliseconds. */
  #flush = 0
  #failures = 0
  #failuresInARow = 0
  /** Time of the last failure, by `performance.now()`. */
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly parts: RefreshParts) {}

  /** Starts a refresh in parallel to flushes, or returns the running one. */
  start(): Promise<void> {
    this.#running ??= this.#refresh().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  get running(): Promise<void> | undefined {
    return this.#running
  }

  /** Number of failed refreshes. */
  get failures(): number {
    return this.#failures
  }

  /** Whether a refresh is due under load. */
  get isDue(): boolean {
    const { checkout } = this.parts
    if (!checkout?.behind || this.#running) return false
    // Shortly before a turn: content applied now does not delay the turn.
    if (this.#timeLeft() <= 2 * this.#remainingCost()) return checkout.waiting >= littleWaiting
    return performance.now() >= this.#nextAt
  }

  /** Whether the locks must be released for other processes. */
  get isOthersTurn(): boolean {
    const reserve = this.#running ? -maxDelay : this.#remainingCost()
    return this.parts.locks.held && this.#timeLeft() <= reserve
  }

  /** Records the duration of a flush, so that the next flush ends before a turn is due. */
  flushed(milliseconds: number): void {
    this.#flush = milliseconds
  }

  /** Resolves when the work tree and the index are at the branch, or refreshing has failed. */
  async settle(): Promise<void> {
    const { locks, checkout } = this.parts
    await this.#running
    // A second try after a failure, because the locks stay held until the refresh is done.
    for (let tries = 0; tries < 2 && locks.held && checkout?.behind; tries++) await this.start()
  }

  async #refresh(): Promise<void> {
    const { checkout, report } = this.parts
    const began = performance.now()
    const bytes = checkout?.waiting ?? 0
    try {
      const index = (await checkout?.applyPending()) ?? 0
      const ended = performance.now()
      this.#nextAt = ended + Math.max(minPause, index * refreshFactor)
      this.#last = { index, perByte: bytes > 0 ? (ended - began - index) / bytes : this.#last.perByte }
      this.#failuresInARow = 0
    } catch (thrown) {
      this.#failures += 1
      this.#failuresInARow += 1
      // The first failure is retried at once: Ctrl-C in a terminal also ends the git process that the refresh runs.
      const isRepeated = this.#failuresInARow > 1
      if (isRepeated || performance.now() - this.#failedAt < failureMemory) {
        report(`The work tree could not be brought up to date; the server tries again: ${String(thrown)}`)
      }
      this.#failedAt = performance.now()
      if (isRepeated) await sleep(retryRefresh)
      const ended = performance.now()
      this.#nextAt = ended + (isRepeated ? ended - began : 0) * refreshFactor
    }
  }

  /** Milliseconds until a turn of other processes is due. */
  #timeLeft(): number {
    return this.#maxHold() - this.parts.locks.heldFor
  }

  #maxHold(): number {
    if (this.parts.gitTurn === 0) return maxHold
    // While refreshes fail, the locks are not released, so waiting for a turn would be in vain.
    if (this.#failuresInARow > 1) return maxHoldInTrouble
    return (this.parts.locks.isGitActive ? maxHoldAfterGit : maxIndexHold) - this.#flush
  }

  /** Estimated milliseconds for a refresh now. */
  #remainingCost(): number {
    const { checkout } = this.parts
    return checkout?.behind ? this.#last.index + this.#last.perByte * checkout.waiting : 0
  }
}
