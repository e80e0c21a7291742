import { outputOf, runGit } from '../process/git-command.js'
import { listPacksWithDeltas } from './list-packs-with-deltas.js'

/** Memory limit of the delta search for each thread of git; large documents would need more. */
const windowMemory = '--window-memory=64m'
/** Our own packs are compressed together, except one that is larger than all smaller ones by this factor. */
const freshFactor = 8

/**
 * First compresses our own packs, which have whole objects. Git looks for deltas between objects of one pack only if it
 * forgets the existing deltas (`-f`). So packs with deltas are excluded from this step and only merged in the second.
 *
 * Writes no multi-pack-index: a concurrent `git gc` can leave it with names of removed packs, which `git fsck` reports
 * as damage.
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
  async function repack(...options: readonly string[]): Promise<boolean> {
    const repacked = await runGit(git, gitDir, ['repack', '-d', '-n', '-q', ...options], { bounds })
    // Git's exit code for unknown options.
    if (repacked.code === 129) return false
    outputOf(repacked, 'repack')
    return true
  }
  await beforeStep()
  const kept = (await listPacksWithDeltas(gitDir)).map(({ name }) => `--keep-pack=${name}.pack`)
  if (!(await repack('-f', windowMemory, `--geometric=${freshFactor}`, ...kept))) return 'git-too-old'
  await beforeStep()
  if (!(await repack('--geometric=2'))) return 'git-too-old'
  const graph = ['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress']
  outputOf(await runGit(git, gitDir, graph, { bounds }), 'commit-graph')
  return 'done'
}
