import type { Oid } from '../../core/value-types.js'
import { type GitOptions, linesOf, outputOf } from '../git-commands/git-command.js'
import { memoryOfGit } from '../git-commands/git-memory-estimate.js'
import { readWithGit } from '../git-commands/git-read-command.js'
import { parseCommit } from '../objects/commit-format.js'
import { hasObject, type ObjectReader } from '../objects/object-reader.js'
import type { History, HistoryRelation } from './first-parent-history.js'
import { walkWithGitLog } from './git-log-walk.js'

/** Memory limit, in bytes, of a git process that reads the history of an empty repository for a client. */
const memoryForClient = 512 * 2 ** 20

/**
 * Reads the history with git.
 * @param objects of the same repository
 * @param options of git processes; those with a signal have bounds of their own
 * @see git-log(1), `--diff-merges`, which needs git 2.31
 */
export function openGitLogHistory(
  git: string,
  gitDir: string,
  objects: ObjectReader,
  options: GitOptions = {},
): History {
  const { environment } = options

  async function optionsFor(signal: AbortSignal | undefined): Promise<GitOptions> {
    if (!signal) return options
    return { environment, bounds: { signal, memory: await memoryOfGit(gitDir, memoryForClient) } }
  }

  /** @throws Error if git fails */
  async function run(args: readonly string[], signal?: AbortSignal, input?: string): Promise<Buffer> {
    const result = await readWithGit(git, gitDir, args, { ...(await optionsFor(signal)), input })
    return outputOf(result, args[0] ?? '')
  }

  async function relation(old: Oid, now: Oid, signal?: AbortSignal): Promise<HistoryRelation> {
    if (old === now) return 'same'
    if (!(await hasObject(objects, old))) return 'rewritten'
    // If `old` is on the chain, a listed commit has it as its first parent.
    const chain = await run(['rev-list', '--first-parent', '--parents', `${old}..${now}`, '--'], signal)
    // Lines are "commit parent parent…". All are checked: with wrong commit dates, git lists commits before `old`, too.
    if (linesOf(chain).some(line => line.split(' ')[1] === old)) return 'ahead'
    return (await reaches([now], old, signal)) ? 'merged' : 'rewritten'
  }

  async function reaches(tips: readonly Oid[], commit: Oid, signal?: AbortSignal): Promise<boolean> {
    if (tips.length === 0) return false
    // Lists a commit that is reachable from `commit` but from no tip: `commit` itself, or none.
    const names = [commit, ...tips.map(tip => `^${tip}`)]
    const found = await run(['rev-list', '--max-count=1', '--stdin'], signal, `${names.join('\n')}\n`)
    return found.length === 0
  }

  async function commit(oid: Oid) {
    return parseCommit(oid, (await objects.read(oid)).bytes)
  }

  return {
    // Not a generator that delegates to another generator, which would cost several promises for each commit.
    walk: (from, to, signal) =>
      walkWithGitLog({ git, gitDir, objects, environment, options: () => optionsFor(signal) }, from, to),
    relation,
    reaches,
    commit,
  }
}
