import { setTimeout as sleep } from 'node:timers/promises'
import type { Checkout } from '../work-tree/checkout.js'
import type { WriteLocks } from './writer-and-index-locks.js'

export interface RefreshOptions {
  readonly checkout: Checkout | undefined
  readonly locks: WriteLocks
  /** Milliseconds that a turn of git commands lasts; 0: they get none. */
  readonly gitTurn: number
  readonly report: (line: string) => void
}

/** When the work tree and the index are brought up to the branch, and when the locks are let go for others. */
export interface WorkTreeRefresh {
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
  /** Says how many milliseconds a flush took: the next one must not end after the turn of others is due. */
  flushed(milliseconds: number): void
  /** Resolves when the work tree and the index are at the branch. */
  settle(): Promise<void>
}

/** Under sustained load the index is refreshed at an interval of so many times its own cost; files cost the same whenever. */
const refreshFactor = 10
/** Milliseconds after which a refresh that failed again is tried again. */
export const retryRefresh = 1000
/** Milliseconds after which an earlier failure is forgotten. A first failure is not reported. */
const toForget = 60_000
/** Milliseconds for which other processes of ours wait where git commands get no turn, as in a bare repository. */
const longestHold = 3000
/**
 * Milliseconds for which `.git/index.lock` is held between two turns of git commands, with the time in which updates wait for the
 * work tree: a person's command that is tried again and again succeeds within two seconds.
 */
const longestIndexHold = 1500
/** Milliseconds of a hold while the work tree cannot be brought up to date. */
const longestHoldInTrouble = 12_000
/** Milliseconds for which a refresh that is under way may delay a turn: what it brings, updates need not wait for. */
const longestDelay = 300
/** Content waiting for the work tree, in bytes, that is little: it is not brought before a turn, but in it. */
const littleWaiting = 256 * 1024

export function openWorkTreeRefresh({ checkout, locks, gitTurn, report }: RefreshOptions): WorkTreeRefresh {
  let underWay: Promise<void> | undefined
  /** When the next one is due, as `performance.now()` says it. */
  let nextAt = 0
  /** Milliseconds that the last one took for the index, and for each byte of the files. */
  let last = { index: 0, perByte: 0 }
  /** Milliseconds that the last flush took. */
  let flush = 0
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
    const bytes = checkout?.waiting ?? 0
    try {
      const index = (await checkout?.applyPending()) ?? 0
      const ended = performance.now()
      nextAt = ended + index * refreshFactor
      last = { index, perByte: bytes > 0 ? (ended - began - index) / bytes : last.perByte }
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
      const ended = performance.now()
      nextAt = ended + (failuresInARow > 1 ? ended - began : 0) * refreshFactor
    }
  }

  function hold(): number {
    if (gitTurn === 0) return longestHold
    // Updates would wait in vain, for the locks are not let go.
    if (failuresInARow > 1) return longestHoldInTrouble
    return longestIndexHold - flush
  }

  /** Milliseconds for which updates may go on before others get their turn. */
  const left = () => hold() - locks.heldFor
  /** Milliseconds that updates would wait for the work tree now. */
  const rest = () => (checkout?.behind ? last.index + last.perByte * checkout.waiting : 0)

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
      // What is brought just before a turn need not be waited for in it.
      if (left() <= 2 * rest()) return checkout.waiting >= littleWaiting
      return performance.now() >= nextAt
    },
    get isOthersTurn() {
      return locks.held && left() <= (underWay ? -longestDelay : rest())
    },
    flushed(milliseconds) {
      flush = milliseconds
    },
    async settle() {
      await underWay
      // Twice where the first one fails, for the locks are not let go before it is done.
      for (let tries = 0; tries < 2 && locks.held && checkout?.behind; tries++) await start()
    },
  }
}
