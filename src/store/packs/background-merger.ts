import { isPlain } from '../../core/plain-mode.js'
import type { GitDirectory } from '../process/git-directory.js'
import { openConcatenator } from './concatenator.js'
import { listPacks } from './list-packs.js'
import { openMergeLock } from './merge-lock.js'
import { mergePacks } from './merge-packs.js'
import { removeStaleFiles, staleAfter } from './remove-stale-files.js'

/** Number of packs that starts a merge. Fewer packs do not slow readers enough to justify a rewrite. */
export const mergeThreshold = 24
/** Number of flushes between two repacks. */
const flushesPerRepack = 2000

interface MergerOptions {
  readonly report: (line: string) => void
  /** Called after each attempt to merge. */
  readonly onMerged: () => void
  /** Multiplies how often packs are merged; default 1. */
  readonly frequency?: number
}

/**
 * Keeps the number of packs small, in the background. Concatenating our own packs is fast and runs often. `git repack`
 * is slow, compresses and runs rarely. During a repack, newer packs are still concatenated.
 */
export class BackgroundMerger {
  readonly #concatenator: ReturnType<typeof openConcatenator>
  readonly #closing = new AbortController()
  readonly #flushesPerRepack: number
  /** Smallest number of packs that starts a concatenation. */
  readonly #leastPacks: number
  /** Number of packs that starts a concatenation; higher than `#leastPacks` if the last one left many. */
  #threshold: number
  /** Number of packs, without those in `#repacked`; undefined until the first count. */
  #count: number | undefined
  /** Packs that a running repack reads. */
  #repacked: ReadonlySet<string> = new Set()
  #flushes = 0
  #concatenating: Promise<void> | undefined
  #repacking: Promise<void> | undefined
  #removing: Promise<void> | undefined
  /** Time of the last removal of stale files, by `performance.now()`. */
  #removedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly repository: GitDirectory,
    private readonly options: MergerOptions,
  ) {
    const { frequency = 1 } = options
    this.#concatenator = openConcatenator(repository.gitDir, repository.stagingDir)
    this.#flushesPerRepack = flushesPerRepack / frequency
    this.#leastPacks = Math.max(2, mergeThreshold / frequency)
    this.#threshold = this.#leastPacks
  }

  /** Records that a flush made a pack. */
  added(): void {
    this.#flushes += 1
    if (this.#count !== undefined) this.#count += 1
  }

  /** Starts a merge if it is due and none is running. Once a day, also removes stale temporary files of git. */
  mergeIfDue(): void {
    if (!this.#removing && performance.now() - this.#removedAt > staleAfter) {
      this.#removedAt = performance.now()
      this.#removing = this.#removeStaleFiles().finally(() => {
        this.#removing = undefined
      })
    }
    if (!this.#concatenating && (this.#count === undefined || this.#count >= this.#threshold)) {
      this.#concatenating = this.#attempt(() => this.#concatenateIfDue()).finally(() => {
        this.#concatenating = undefined
      })
    }
    const isRepackDue = this.repository.git !== undefined && this.#flushes >= this.#flushesPerRepack
    if (!this.#repacking && !this.#concatenating && isRepackDue) {
      this.#flushes = 0
      this.#repacking = this.#attempt(() => this.#repack()).finally(() => {
        this.#repacking = undefined
      })
    }
  }

  /** Resolves when nothing is running. */
  async settled(): Promise<void> {
    while (this.#concatenating || this.#repacking || this.#removing) {
      await Promise.all([this.#concatenating, this.#repacking, this.#removing])
    }
  }

  /** Aborts a running `git repack`, which may take minutes. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.settled()
    await this.#concatenator.close()
  }

  #recount(): number {
    this.#count = listPacks(this.repository.gitDir).filter(({ name }) => !this.#repacked.has(name)).length
    return this.#count
  }

  async #concatenateIfDue(): Promise<void> {
    if ((this.#count ?? this.#recount()) < this.#threshold) return
    await this.#concatenate()
    this.#threshold = Math.max(this.#leastPacks, this.#recount() + this.#leastPacks / 2)
  }

  async #concatenate(): Promise<void> {
    // On the plain path git merges all packs. Without git, both paths concatenate.
    if (isPlain && this.repository.git !== undefined) return await this.#repack()
    // A running repack of this process holds the lock.
    if (this.#repacking) return this.#concatenator.run(this.#repacked)
    const lock = openMergeLock(this.repository.ownDir)
    try {
      // Without the lock, another process is merging.
      if (lock.tryAcquire()) await this.#concatenator.run()
    } finally {
      lock.close()
    }
  }

  async #repack(): Promise<void> {
    this.#repacked = new Set(listPacks(this.repository.gitDir).map(({ name }) => name))
    try {
      await mergePacks(this.repository, this.#closing.signal)
    } finally {
      this.#repacked = new Set()
      this.#recount()
    }
  }

  async #removeStaleFiles(): Promise<void> {
    try {
      await removeStaleFiles(this.repository.gitDir)
    } catch (thrown) {
      this.options.report(`Abandoned temporary files of git could not be removed: ${String(thrown)}`)
    }
  }

  async #attempt(merge: () => Promise<void>): Promise<void> {
    try {
      await merge()
    } catch (thrown) {
      // No data is lost. A concurrent `git gc` may have removed packs.
      this.options.report(`Packs could not be merged; the server tries again later: ${String(thrown)}`)
      this.#threshold = (this.#count ?? 0) + this.#leastPacks / 2
    } finally {
      this.options.onMerged()
    }
  }
}
