import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { errorCode } from '../file-system/durable-files.js'
import { openProcessLock } from '../locks/process-lock.js'
import { collectGit, type GitResult, spawnGit } from '../process/git-command.js'
import type { GitDirectory } from '../process/git-directory.js'
import { gitFailure } from '../process/git-failure.js'
import { openConcatenator } from './concatenator.js'
import { mergeLock, packsWithDeltas } from './list-packs.js'

/** Packs from which merging is due. Fewer cost a reader nothing worth a rewrite. */
export const mergeThreshold = 24

/** Memory that looking for deltas takes, for each thread of git; large documents would take more. */
const windowMemory = '--window-memory=64m'
/** Packs of ours are compressed together, but for one that is larger than all smaller ones by this factor. */
const freshFactor = 8

const running = new Map<string, Promise<void>>()

/**
 * Merges packs so that each is large beside all smaller ones together: few packs, and every object is rewritten a few
 * times at most. Reading and writing go on meanwhile, and so does a person's `git gc`. Packs with a
 * `.keep` are left alone. Runs once at a time for one repository: a second call in this process waits for the first
 * one, another process is left to it.
 * @param signal breaks it off: what it did until then stays, and is all sound
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
  const lock = openProcessLock(join(place.ownDir, mergeLock))
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
 * First our own packs, which hold whole objects, are compressed with one another; git would not look for deltas
 * between objects that lie in one pack already, unless it is told to forget the deltas there are (`-f`). So packs with
 * deltas stay out of it: they have been compressed, and are only put together, with the deltas they have.
 *
 * No multi-pack-index: a person's `git gc` at the same time does not know of one that is being written, and leaves it
 * naming packs that are gone, which `git fsck` takes for damage.
 * @returns false where git is too old for it (before 2.32; before 2.37 it compresses the others too, which takes longer)
 * @see git-repack(1), `--geometric`, `--keep-pack`; git-commit-graph(1)
 */
async function repack(git: string, gitDir: string, signal: AbortSignal): Promise<boolean> {
  const compressed = await packsWithDeltas(gitDir)
  const kept = compressed.map(({ name }) => `--keep-pack=${name}.pack`)
  const steps = [['-f', windowMemory, `--geometric=${freshFactor}`, ...kept], ['--geometric=2']]
  for (const step of steps) {
    const repacked = await quietly(git, gitDir, ['repack', '-d', '-n', '-q', ...step], signal)
    // Git's exit code for options it does not know.
    if (repacked.code === 129) return false
    assertDone('repack', repacked)
  }
  const graph = ['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress']
  assertDone('commit-graph', await quietly(git, gitDir, graph, signal))
  return true
}

/** Runs git so that whoever waits for an answer goes first. */
function quietly(
  git: string,
  gitDir: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<GitResult> {
  const child = spawnGit(git, gitDir, args, {}, { signal })
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  } catch (error) {
    // It has ended already, or the system does not let us; the work is the same.
    if (!(error instanceof Error) || (errorCode(error) ?? '') !== 'ERR_SYSTEM_ERROR') throw error
  }
  return collectGit(child)
}

function assertDone(command: string, { code, stderr }: GitResult): void {
  if (code !== 0) throw gitFailure(command, stderr || `exit code ${code ?? 'none'}`)
}
