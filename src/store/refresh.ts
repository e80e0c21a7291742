import { setTimeout as sleep } from 'node:timers/promises'
import type { Checkout } from './checkout.js'
import type { WriteLocks } from './write-locks.js'

export interface RefreshOptions {
  readonly checkout: Checkout | undefined
  readonly locks: WriteLocks
  readonly report: (line: string) => void
}

/** When the work tree and the index are brought up to the branch, and when the locks are let go for others. */
export interface Refresh {
  /** Starts bringing the work tree and the index up to date, beside the flushes. */
  start(): Promise<void>
  /** The one that is under way. */
  readonly underWay: Promise<void> | undefined
  /** How many have failed. */
  readonly failures: number
  /** Whether, under load, the work tree and the index are to be brought up to date beside the flushes. */
  readonly isDue: boolean
  /** Whether the locks have been held for so long that others are to get a turn. */
  readonly isOthersTurn: boolean
  /** Resolves when the work tree and the index are at the branch. */
  settle(): Promise<void>
}

/** Under sustained load the index is refreshed at an interval of so many times its own cost; files cost the same whenever. */
const refreshFactor = 10
/** Milliseconds after which a refresh that failed again is tried again. */
export const retryRefresh = 1000
/** Milliseconds after which a single failure counts as the first one again, which nobody needs to hear of. */
const toForget = 60_000
/**
 * Milliseconds after which others get a turn under sustained load: the locks are let go for a moment as soon as little
 * is left for the work tree. After three times as long what is left is brought beside the flushes until that makes it no
 * less, for updates wait while the rest is brought; after four times as long whatever is left.
 */
export const longestHold = 3000
/** Content waiting for the work tree, in bytes, that is little. */
const littleWaiting = 256 * 1024

export function openRefresh({ checkout, locks, report }: RefreshOptions): Refresh {
  let underWay: Promise<void> | undefined
  /**
   * The one before: when, as `performance.now()` says it, milliseconds that it would have cost with little to bring too, bytes
   * of content it had to bring, and that came meanwhile.
   */
  let last = { began: 0, ended: 0, cost: 0, brought: 0, left: 0 }
  let failures = 0
  let failuresInARow = 0
  /** When the last one failed, as `performance.now()` says it. */
  let failedAt = Number.NEGATIVE_INFINITY

  function start(): Promise<void> {
    underWay ??= bring().finally(() => {
      underWay = undefined
    })
    return underWay
  }

  async function bring(): Promise<void> {
    const began = performance.now()
    const brought = checkout?.waiting ?? 0
    let cost: number | undefined
    try {
      cost = await checkout?.bring()
      failuresInARow = 0
    } catch (thrown) {
      failures += 1
      failuresInARow += 1
      // A first one is tried again at once: a terminal that ends the server ends the git it waits for as well.
      if (failuresInARow > 1 || performance.now() - failedAt < toForget) {
        report(`The work tree could not be brought up to date, and is tried again: ${String(thrown)}`)
      }
      failedAt = performance.now()
      if (failuresInARow > 1) await sleep(retryRefresh)
    }
    const ended = performance.now()
    last = {
      began,
      ended,
      cost: cost ?? (failuresInARow > 1 ? ended - began : 0),
      brought,
      left: checkout?.waiting ?? 0,
    }
  }

  const heldFor = () => performance.now() - locks.since
  const isLittle = () => !checkout || checkout.waiting < littleWaiting
  const hasBegunSince = (held: number) => last.began > locks.since + held
  /** Whether one more beside the flushes would leave as much as there is. */
  const isLeast = () => hasBegunSince(3 * longestHold) && last.left > last.brought / 2

  return {
    start,
    get underWay() {
      return underWay
    },
    get failures() {
      return failures
    },
    get isDue() {
      if (!checkout?.behind || underWay) return false
      if (performance.now() >= last.ended + last.cost * refreshFactor) return true
      if (isLittle()) return false
      return heldFor() > 3 * longestHold ? !isLeast() : heldFor() > longestHold && !hasBegunSince(longestHold)
    },
    get isOthersTurn() {
      if (!locks.held) return false
      const held = heldFor()
      if (held > 4 * longestHold) return true
      if (underWay || held <= longestHold) return false
      return isLittle() || (held > 3 * longestHold && isLeast())
    },
    async settle() {
      await underWay
      // Twice where the first one fails, for the locks are not let go before it is done.
      for (let tries = 0; tries < 2 && locks.held && checkout?.behind; tries++) await start()
    },
  }
}
