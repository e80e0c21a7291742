import { outputOf, runGit } from '../git-commands/git-command.js'
import { whilePacksChange } from '../git-commands/retry-while-packs-change.js'
import { isObjectDamage } from '../objects/object-errors.js'
import { listPacksWithDeltas } from './list-packs-with-deltas.js'

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
