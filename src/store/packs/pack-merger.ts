import type { GitDirectory } from '../git-commands/git-directory.js'
import { openMergeLock } from '../locks/merge-lock.js'
import { openWorkerThread } from '../workers/worker-thread.js'
import type { ConcatenateJob } from './concatenate-thread.js'
import { gitRepack } from './git-repack.js'
import { listPacks } from './list-packs.js'

/** `busy`: another process is merging packs. `no-suitable-git`: there is no git, or it is too old. */
type RepackOutcome = 'done' | 'busy' | 'no-suitable-git' | 'aborted'

/**
 * Merges the packs of a repository, during concurrent reads, writes and `git gc`. Does not touch packs with a `.keep`
 * file. Concatenation and repack may run at the same time. They share one lock between processes, which is held until
 * both are done.
 *
 * Concatenation is a fast path. Benchmark "durable creates through HTTP": 0.05 ms of processor time a create. One `git
 * repack` of packs of 20,000 commits takes 6.7 s, which is 0.3 ms a commit, each time. Plain path: `repack`.
 * @see docs/decisions/011-fast-paths.md
 */
export class PackMerger {
  readonly #thread = openWorkerThread<ConcatenateJob, void>(
    new URL('./concatenate-thread.js', import.meta.url),
  )
  readonly #closing = new AbortController()
  #lock: ReturnType<typeof openMergeLock> | undefined
  /** Number of running merges, which share the lock. */
  #merges = 0
  #repacked: ReadonlySet<string> = new Set()
  /** The last concatenation; it never rejects. */
  #concatenating: Promise<unknown> = Promise.resolve()
  #repacking: Promise<RepackOutcome> | undefined

  constructor(private readonly repository: GitDirectory) {}

  /** Names of the packs that a running repack reads. */
  get repacked(): ReadonlySet<string> {
    return this.#repacked
  }

  /** Concatenates our own packs in a thread, except those that a running repack reads. */
  async concatenate(): Promise<'done' | 'busy'> {
    if (!this.#shareLock()) return 'busy'
    const { gitDir, stagingDir } = this.repository
    try {
      const concatenating = this.#thread.run({ gitDir, stagingDir, except: this.#repacked })
      this.#concatenating = concatenating.catch(() => undefined)
      await concatenating
      return 'done'
    } finally {
      this.#leaveLock()
    }
  }

  /**
   * Merges and compresses packs by git, so that their sizes form a geometric progression: there are few packs, and each
   * object is rewritten only a few times. A call during a repack gets the same promise. After `aborted`, the completed
   * steps stay.
   */
  repack(): Promise<RepackOutcome> {
    this.#repacking ??= this.#repackAlone().finally(() => {
      this.#repacking = undefined
    })
    return this.#repacking
  }

  /** Aborts a running repack, which may take minutes. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled([this.#repacking, this.#concatenating])
    await this.#thread.close()
  }

  async #repackAlone(): Promise<RepackOutcome> {
    const { git, gitDir } = this.repository
    if (git === undefined) return 'no-suitable-git'
    if (!this.#shareLock()) return 'busy'
    const { signal } = this.#closing
    try {
      const outcome = await gitRepack(git, gitDir, signal, () => this.#reservePacks())
      return outcome === 'done' ? 'done' : 'no-suitable-git'
    } catch (error) {
      if (signal.aborted) return 'aborted'
      throw error
    } finally {
      this.#repacked = new Set()
      this.#leaveLock()
    }
  }

  /** Excludes all current packs from concatenation, because git is going to read them. */
  async #reservePacks(): Promise<void> {
    for (let last: unknown; last !== this.#concatenating; ) {
      last = this.#concatenating
      await last
    }
    this.#repacked = new Set(listPacks(this.repository.gitDir).map(({ name }) => name))
  }

  /** Takes the lock, or shares it with another merge of this process. @returns false if another process holds it */
  #shareLock(): boolean {
    this.#lock ??= acquireLock(this.repository.ownDir)
    if (!this.#lock) return false
    this.#merges += 1
    return true
  }

  #leaveLock(): void {
    this.#merges -= 1
    if (this.#merges > 0) return
    this.#lock?.close()
    this.#lock = undefined
  }
}

function acquireLock(ownDir: string): ReturnType<typeof openMergeLock> | undefined {
  const lock = openMergeLock(ownDir)
  try {
    return lock.tryAcquire() ? lock : undefined
  } finally {
    if (!lock.held) lock.close()
  }
}
