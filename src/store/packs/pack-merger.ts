import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { outputOf, runGit } from '../git-commands/git-command.js'
import { type GitDirectory, packFolder } from '../git-commands/git-directory.js'
import { whilePacksChange } from '../git-commands/retry-while-packs-change.js'
import { openMergeLock } from '../locks/process-lock.js'
import { isObjectDamage } from '../objects/object-errors.js'
import { openWorkerThread } from '../workers/worker-thread.js'
import type { ConcatenateJob } from './concatenate-thread.js'
import { checkIndexHead, countUpTo, largeOffset, layoutOf, namesAt } from './index-format.js'
import { listPacks, type PackOnDisk } from './list-packs.js'
import { entryType, offsetDelta, refDelta } from './pack-format.js'

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

/** Memory limit of the delta search for each thread of git; large documents would need more. */
const windowMemory = '--window-memory=64m'
/** Our own packs are compressed together, except a pack this many times as large as all smaller packs together. */
const freshFactor = 8

/**
 * Merges and compresses packs in two steps. The first compresses our own packs, which have whole objects. Git looks for
 * deltas between objects of one pack only if it forgets the existing deltas (`-f`), so packs with deltas are excluded
 * from this step. The second step merges packs, and keeps their deltas.
 *
 * Writes no multi-pack-index: a concurrent `git gc` can leave it with names of removed packs, which `git fsck` reports
 * as damage. A command that misses an object is repeated while packs change, because newer packs are concatenated
 * meanwhile.
 * @param beforeStep called before git reads the list of packs
 * @returns `git-too-old` before git 2.32. Before 2.37, git compresses the excluded packs too, which is slower
 * @see git-repack(1), `--geometric`, `--keep-pack`; git-commit-graph(1)
 */
export async function gitRepack(
  git: string,
  gitDir: string,
  signal: AbortSignal,
  beforeStep: () => Promise<void>,
): Promise<'done' | 'git-too-old'> {
  const bounds = { signal, isInBackground: true }
  const repeat = whilePacksChange(gitDir)
  /** @returns false if git does not know an option */
  async function run(command: string, options: readonly string[]): Promise<boolean> {
    return await repeat(async () => {
      const ended = await runGit(git, gitDir, [command, ...options], { bounds })
      // This is git's exit code for unknown options.
      if (ended.code === 129) return false
      outputOf(ended, command)
      return true
    }, isObjectDamage)
  }
  const repack = (...options: readonly string[]) => run('repack', ['-d', '-n', '-q', ...options])
  await beforeStep()
  const kept = (await listPacksWithDeltas(gitDir)).map(({ name }) => `--keep-pack=${name}.pack`)
  if (!(await repack('-f', windowMemory, `--geometric=${freshFactor}`, ...kept))) return 'git-too-old'
  await beforeStep()
  if (!(await repack('--geometric=2'))) return 'git-too-old'
  const graph = ['write', '--reachable', '--changed-paths', '--split', '--no-progress']
  const written = await run('commit-graph', graph)
  return written ? 'done' : 'git-too-old'
}

/** Number of objects that are looked at in a pack. If git has compressed the pack, many of its objects are deltas. */
const sampleSize = 64

/** The packs that git has compressed. Our own packs have whole objects only. */
async function listPacksWithDeltas(gitDir: string): Promise<readonly PackOnDisk[]> {
  const found: PackOnDisk[] = []
  for (const pack of listPacks(gitDir)) {
    const path = join(packFolder(gitDir), pack.name)
    const offsets = await withFile(`${path}.idx`, sampleOffsets)
    const isCompressed = await withFile(`${path}.pack`, file => hasDelta(file, offsets ?? []))
    if (isCompressed) found.push(pack)
  }
  return found
}

/**
 * Reads the offsets of some objects without reading the whole index, which may have hundreds of megabytes. The objects
 * are at equal distances in the order of names. None for a damaged index, which `git fsck` reports.
 */
async function sampleOffsets(index: FileHandle): Promise<readonly number[]> {
  try {
    const head = await readAt(index, 0, namesAt)
    checkIndexHead(head)
    const count = countUpTo(head)
    const { offsetsAt } = layoutOf(count)
    const sampled = Math.min(sampleSize, count)
    const offsets: number[] = []
    for (let number = 0; number < sampled; number++) {
      const entry = Math.floor((number * count) / sampled)
      const offset = (await readAt(index, offsetsAt + entry * 4, 4)).readUInt32BE(0)
      if (offset < largeOffset) offsets.push(offset)
    }
    return offsets
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position)
  if (bytesRead < bytes) throw new RangeError('The pack index is cut off.')
  return buffer
}

async function hasDelta(pack: FileHandle, offsets: readonly number[]): Promise<boolean> {
  for (const offset of offsets) {
    const { buffer } = await pack.read(Buffer.alloc(1), 0, 1, offset)
    if ([offsetDelta, refDelta].includes(entryType(buffer[0] ?? 0))) return true
  }
  return false
}

/** @returns undefined if the file is gone, because another process may be repacking */
async function withFile<T>(path: string, job: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  const file = await undefinedIfMissingAsync(open(path))
  try {
    return file && (await job(file))
  } finally {
    await file?.close()
  }
}
