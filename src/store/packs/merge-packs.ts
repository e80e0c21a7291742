import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { outputOf, runGit } from '../process/git-command.js'
import { type GitDirectory, packDirectory } from '../process/git-directory.js'
import { openConcatenator } from './concatenator.js'
import { sampleOffsets } from './index-format.js'
import { listPacks, type PackOnDisk } from './list-packs.js'
import { openMergeLock } from './merge-lock.js'
import { entryType, offsetDelta, refDelta } from './pack-format.js'

/** Memory limit of the delta search for each thread of git; large documents would need more. */
const windowMemory = '--window-memory=64m'
/** Our own packs are compressed together, except one that is larger than all smaller ones by this factor. */
const freshFactor = 8

const running = new Map<string, Promise<void>>()

/**
 * Merges packs in a geometric progression of sizes: few packs, and each object is rewritten a few times at most. Works
 * with concurrent reads, writes and `git gc`. Does not touch packs with a `.keep`. One merge runs for a repository: a
 * second call in this process gets the promise of the first one, and a call in another process does nothing.
 * @param signal aborts; completed steps stay
 */
export function mergePacks(place: GitDirectory, signal: AbortSignal = never): Promise<void> {
  const under = running.get(place.gitDir)
  if (under) return under
  const merging = mergeAlone(place, signal).finally(() => running.delete(place.gitDir))
  running.set(place.gitDir, merging)
  return merging
}

const never = new AbortController().signal

async function mergeAlone(place: GitDirectory, signal: AbortSignal): Promise<void> {
  const lock = openMergeLock(place.ownDir)
  try {
    if (!lock.tryAcquire()) return
    if (place.git === undefined || !(await repack(place.git, place.gitDir, signal))) {
      await concatenate(place)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    lock.close()
  }
}

async function concatenate({ gitDir, stagingDir }: GitDirectory): Promise<void> {
  const concatenator = openConcatenator(gitDir, stagingDir)
  try {
    await concatenator.run()
  } finally {
    await concatenator.close()
  }
}

/**
 * First compresses our own packs, which have whole objects. Git looks for deltas between objects of one pack only if it
 * forgets the existing deltas (`-f`). So packs with deltas are excluded from this step and only merged in the second.
 *
 * Writes no multi-pack-index: a concurrent `git gc` can leave it with names of removed packs, which `git fsck` reports
 * as damage.
 * @returns false if git is too old (before 2.32). Before 2.37, git compresses the excluded packs too, which is slower
 * @see git-repack(1), `--geometric`, `--keep-pack`; git-commit-graph(1)
 */
async function repack(git: string, gitDir: string, signal: AbortSignal): Promise<boolean> {
  const compressed = await packsWithDeltas(gitDir)
  const kept = compressed.map(({ name }) => `--keep-pack=${name}.pack`)
  const steps = [['-f', windowMemory, `--geometric=${freshFactor}`, ...kept], ['--geometric=2']]
  for (const step of steps) {
    const repacked = await runGit(git, gitDir, ['repack', '-d', '-n', '-q', ...step], { bounds: { signal } })
    // Git's exit code for unknown options.
    if (repacked.code === 129) return false
    outputOf(repacked, 'repack')
  }
  const graph = ['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress']
  outputOf(await runGit(git, gitDir, graph, { bounds: { signal } }), 'commit-graph')
  return true
}

/** Number of objects sampled from a pack. In packs compressed by git, deltas are frequent. */
const sample = 64

/** The packs that git has compressed. Our own packs have whole objects only. */
async function packsWithDeltas(gitDir: string): Promise<readonly PackOnDisk[]> {
  const found: PackOnDisk[] = []
  for (const pack of listPacks(gitDir)) {
    const path = join(packDirectory(gitDir), pack.name)
    const offsets = await withFile(`${path}.idx`, readOffsets)
    const isCompressed = await withFile(`${path}.pack`, file => hasDelta(file, offsets ?? []))
    if (isCompressed) found.push(pack)
  }
  return found
}

async function readOffsets(index: FileHandle): Promise<readonly number[]> {
  try {
    return await sampleOffsets(index, sample)
  } catch (error) {
    // A damaged pack stays unchanged; `git fsck` reports it.
    if (error instanceof RangeError) return []
    throw error
  }
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
