import { join } from 'node:path'
import { openProcessLock } from '../locks/process-lock.js'
import type { GitDirectory } from '../process/git-directory.js'
import { openConcatenator } from './concatenator.js'
import { listPacks, mergeLock } from './list-packs.js'
import { removeStaleFiles, staleAfter } from './remove-stale-files.js'
import { mergePacks, mergeThreshold } from './repack.js'

/**
 * Merges packs in the background before they are many, in two ways. Putting our own packs one after the other takes
 * milliseconds and keeps their number down whatever the load; `git repack`, which takes seconds, compresses and comes
 * rarely. While it runs, packs that came after its start are still put together: it knows nothing of them.
 */
export interface BackgroundMerger {
  /** Says that a flush made a pack. */
  added(): void
  /** Starts merging where it is due and nothing is under way; once a day also clears away what git has left. */
  mergeIfDue(): void
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
  /** A `git repack` under way is broken off: it may take minutes, and nobody waits for it. */
  close(): Promise<void>
}

/** Flushes after which their packs are compressed. */
const flushesPerRepack = 2000

export interface PackKeeperOptions {
  readonly report: (line: string) => void
  /** Is told when packs were merged, or may have been. */
  readonly onMerged: () => void
  /** How often packs are merged, as a multiple of the usual; default 1. */
  readonly pace?: number
}

export function openBackgroundMerger(
  repository: GitDirectory,
  { report, onMerged, pace = 1 }: PackKeeperOptions,
): BackgroundMerger {
  const { gitDir, ownDir, stagingDir, git } = repository
  const closing = new AbortController()
  const concatenator = openConcatenator(gitDir, stagingDir)
  /** Packs there are, without those a repack under way counts on; undefined until they have been counted. */
  let count: number | undefined
  const enough = Math.max(2, mergeThreshold / pace)
  /** Packs from which putting together is due; more than {@link enough} where the last time left many. */
  let threshold = enough
  let flushes = 0
  let concatenating: Promise<void> | undefined
  let repacking: Promise<void> | undefined
  let clearing: Promise<void> | undefined
  /** When what was abandoned was looked for, by `performance.now()`; undefined: not yet. */
  let cleared: number | undefined
  /** Packs the repack under way counts on. */
  let known: ReadonlySet<string> = new Set()

  function recount(): number {
    count = listPacks(gitDir).filter(pack => !known.has(pack.name)).length
    return count
  }

  async function concatenate(): Promise<void> {
    if (repacking) return concatenator.run(known)
    const lock = openProcessLock(join(ownDir, mergeLock))
    try {
      // Another process is at it: leave it to that one.
      if (lock.tryAcquire()) await concatenator.run()
    } finally {
      lock.close()
    }
  }

  async function concatenateWhereDue(): Promise<void> {
    if ((count ?? recount()) < threshold) return
    await concatenate()
    threshold = Math.max(enough, recount() + enough / 2)
  }

  async function repack(): Promise<void> {
    known = new Set(listPacks(gitDir).map(pack => pack.name))
    try {
      await mergePacks({ gitDir, ownDir, stagingDir, git }, closing.signal)
    } finally {
      known = new Set()
      recount()
    }
  }

  async function clear(): Promise<void> {
    try {
      await removeStaleFiles(gitDir)
    } catch (thrown) {
      report(`What git has left half-written could not be removed: ${String(thrown)}`)
    }
  }

  async function attempt(merge: () => Promise<void>): Promise<void> {
    try {
      await merge()
    } catch (thrown) {
      // Nothing is lost: a person's `git gc` may have taken packs away in the middle of it.
      report(`Packs could not be merged, and are tried again later: ${String(thrown)}`)
      threshold = (count ?? 0) + enough / 2
    } finally {
      onMerged()
    }
  }

  return {
    added() {
      flushes += 1
      if (count !== undefined) count += 1
    },
    mergeIfDue() {
      if (!clearing && (cleared === undefined || performance.now() - cleared > staleAfter)) {
        cleared = performance.now()
        clearing = clear().finally(() => {
          clearing = undefined
        })
      }
      if (!concatenating && (count === undefined || count >= threshold)) {
        concatenating = attempt(concatenateWhereDue).finally(() => {
          concatenating = undefined
        })
      }
      if (!repacking && !concatenating && git !== undefined && flushes >= flushesPerRepack / pace) {
        flushes = 0
        repacking = attempt(repack).finally(() => {
          repacking = undefined
        })
      }
    },
    async settled() {
      while (concatenating || repacking || clearing) {
        await Promise.all([concatenating, repacking, clearing])
      }
    },
    async close() {
      closing.abort()
      await this.settled()
      await concatenator.close()
    },
  }
}
