import { join } from 'node:path'
import { openProcessLock } from '../locks/process-lock.js'
import type { GitDirectory } from '../process/git-directory.js'
import { openConcatenator } from './concatenator.js'
import { listPacks, mergeLock } from './list-packs.js'
import { removeStaleFiles, staleAfter } from './remove-stale-files.js'
import { mergePacks, mergeThreshold } from './repack.js'

/**
 * Keeps the number of packs small, in the background. Concatenating our own packs is fast and runs often. `git repack`
 * is slow, compresses and runs rarely. During a repack, newer packs are still concatenated.
 */
export interface BackgroundMerger {
  /** Records that a flush made a pack. */
  added(): void
  /** Starts a merge if it is due and none is running. Once a day, also removes stale temporary files of git. */
  mergeIfDue(): void
  /** Resolves when nothing is running. */
  settled(): Promise<void>
  /** Aborts a running `git repack`, which may take minutes. */
  close(): Promise<void>
}

/** Number of flushes between two repacks. */
const flushesPerRepack = 2000

interface MergerOptions {
  readonly report: (line: string) => void
  /** Called after each attempt to merge. */
  readonly onMerged: () => void
  /** Multiplies how often packs are merged; default 1. */
  readonly frequency?: number
}

export function openBackgroundMerger(
  repository: GitDirectory,
  { report, onMerged, frequency = 1 }: MergerOptions,
): BackgroundMerger {
  const { gitDir, ownDir, stagingDir, git } = repository
  const closing = new AbortController()
  const concatenator = openConcatenator(gitDir, stagingDir)
  /** Number of packs, without those in `repacked`; undefined until the first count. */
  let count: number | undefined
  const leastPacks = Math.max(2, mergeThreshold / frequency)
  /** Number of packs that starts a concatenation; higher than `leastPacks` if the last one left many. */
  let threshold = leastPacks
  let flushes = 0
  let concatenating: Promise<void> | undefined
  let repacking: Promise<void> | undefined
  let clearing: Promise<void> | undefined
  /** Last removal of stale files, by `performance.now()`; undefined: none yet. */
  let cleared: number | undefined
  /** Packs that a running repack reads. */
  let repacked: ReadonlySet<string> = new Set()

  function recount(): number {
    count = listPacks(gitDir).filter(pack => !repacked.has(pack.name)).length
    return count
  }

  async function concatenate(): Promise<void> {
    if (repacking) return concatenator.run(repacked)
    const lock = openProcessLock(join(ownDir, mergeLock))
    try {
      // Without the lock, another process is merging.
      if (lock.tryAcquire()) await concatenator.run()
    } finally {
      lock.close()
    }
  }

  async function concatenateWhereDue(): Promise<void> {
    if ((count ?? recount()) < threshold) return
    await concatenate()
    threshold = Math.max(leastPacks, recount() + leastPacks / 2)
  }

  async function repack(): Promise<void> {
    repacked = new Set(listPacks(gitDir).map(pack => pack.name))
    try {
      await mergePacks({ gitDir, ownDir, stagingDir, git }, closing.signal)
    } finally {
      repacked = new Set()
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
      // No data is lost. A concurrent `git gc` may have removed packs.
      report(`Packs could not be merged, and are tried again later: ${String(thrown)}`)
      threshold = (count ?? 0) + leastPacks / 2
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
      if (!repacking && !concatenating && git !== undefined && flushes >= flushesPerRepack / frequency) {
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
