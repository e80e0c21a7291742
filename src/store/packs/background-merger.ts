import { isPlain } from '../../core/plain-mode.js'
import type { GitDirectory } from '../git-commands/git-directory.js'
import { listPacks } from './list-packs.js'
import { PackMerger } from './pack-merger.js'

/** Number of packs that starts a merge. Fewer packs do not slow readers enough to justify a rewrite. */
const mergeThreshold = 24
/** Number of flushes between two repacks. */
const flushesPerRepack = 2000

interface MergerOptions {
  readonly report: (line: string) => void
  /** Called after each attempt to merge, even if it failed. */
  readonly onMerged: () => void
  /** Multiplies how often packs are merged. */
  readonly mergePace: number
}

/**
 * Decides when packs are merged in the background, so that there are few packs. To concatenate our own packs is fast,
 * and is done often. `git repack` compresses, but is slow and runs rarely. During a repack, newer packs are still
 * concatenated.
 */
export class BackgroundMerger {
  readonly #merger: PackMerger
  readonly #flushesPerRepack: number
  /** Smallest number of packs that starts a concatenation. */
  readonly #minPacks: number
  /** Number of packs that starts a concatenation; higher than `#minPacks` if the last concatenation left many packs. */
  #threshold: number
  /** Number of packs, without those that a running repack reads; undefined until the first count. */
  #count: number | undefined
  #flushes = 0
  #concatenating: Promise<void> | undefined
  #repacking: Promise<void> | undefined

  constructor(
    private readonly repository: GitDirectory,
    private readonly options: MergerOptions,
  ) {
    const { mergePace } = options
    this.#merger = new PackMerger(repository)
    this.#flushesPerRepack = flushesPerRepack / mergePace
    this.#minPacks = Math.max(2, mergeThreshold / mergePace)
    this.#threshold = this.#minPacks
  }

  /** Records that a flush made a pack. */
  added(): void {
    this.#flushes += 1
    if (this.#count !== undefined) this.#count += 1
  }

  /** Starts a merge if it is due and none is running. */
  mergeIfDue(): void {
    if (!this.#concatenating && (this.#count === undefined || this.#count >= this.#threshold)) {
      this.#concatenating = this.#attempt(() => this.#concatenateIfDue()).finally(() => {
        this.#concatenating = undefined
      })
    }
    if (!this.#repacking && this.#flushes >= this.#flushesPerRepack) {
      this.#flushes = 0
      this.#repacking = this.#attempt(() => this.#repack()).finally(() => {
        this.#repacking = undefined
      })
    }
  }

  /** Resolves when nothing is running. */
  async settled(): Promise<void> {
    while (this.#concatenating || this.#repacking) {
      await Promise.all([this.#concatenating, this.#repacking])
    }
  }

  /** Aborts a running `git repack`, which may take minutes. */
  async close(): Promise<void> {
    await this.#merger.close()
    await this.settled()
  }

  #recount(): number {
    const { repacked } = this.#merger
    this.#count = listPacks(this.repository.gitDir).filter(({ name }) => !repacked.has(name)).length
    return this.#count
  }

  async #concatenateIfDue(): Promise<void> {
    if ((this.#count ?? this.#recount()) < this.#threshold) return
    // On the plain path git merges all packs.
    if (isPlain) await this.#repack()
    else await this.#merger.concatenate()
    this.#threshold = Math.max(this.#minPacks, this.#recount() + this.#minPacks / 2)
  }

  async #repack(): Promise<void> {
    try {
      if ((await this.#merger.repack()) === 'no-suitable-git') await this.#merger.concatenate()
    } finally {
      this.#recount()
    }
  }

  async #attempt(merge: () => Promise<void>): Promise<void> {
    try {
      await merge()
    } catch (thrown) {
      // No data is lost. A concurrent `git gc` may have removed packs.
      this.options.report(`Packs could not be merged; the server tries again later: ${String(thrown)}`)
      this.#threshold = (this.#count ?? 0) + this.#minPacks / 2
    } finally {
      this.options.onMerged()
    }
  }
}
