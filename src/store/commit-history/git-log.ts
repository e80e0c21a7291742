import type { Oid } from '../../core/value-types.js'
import { parseCommit } from '../objects/commit-and-tree-parser.js'
import { MissingObject, type ObjectReader } from '../objects/object-reader.js'
import { type GitBounds, linesOf, outputOf, spawnGit, streamGitOutput } from '../process/git-command.js'
import { isGitFailure } from '../process/git-failure.js'
import { memoryOfGit } from '../process/git-memory-estimate.js'
import { readWithGit } from '../process/git-read-command.js'
import { whilePacksChange } from '../process/retry-while-packs-change.js'
import type { CommitChanges, History, HistoryRelation } from './first-parent-history.js'
import { openLogParser } from './git-log-parser.js'

/** Overrides user settings that change the output of `git log`. */
const settings = [
  'log.showSignature=false',
  'log.showRoot=true',
  'log.follow=false',
  'i18n.logOutputEncoding=UTF-8',
].flatMap(setting => ['-c', setting])

/** Fields terminated by NUL, which no message, name or path contains. @see {@link openLogParser} */
const format = '--format=tformat:%H%x00%T%x00%P%x00%an%x00%ae%x00%cn%x00%ct%x00%B%x00'

/** Memory limit in bytes of a git that reads the history for a client, in an empty repository. */
const memoryForClient = 512 * 2 ** 20

/**
 * Reads the history with `git log`, without a pathspec, which would make git much slower.
 * @param objects of the same repository
 * @param environment additional environment variables of git, such as further object folders
 * @param bounds of git processes without a signal; those with a signal have a memory limit of their own
 * @see git-log(1), `--diff-merges`, which needs git 2.31
 */
export function openGitLogHistory(
  git: string,
  gitDir: string,
  objects: ObjectReader,
  environment: NodeJS.ProcessEnv = {},
  bounds: GitBounds = {},
): History {
  const reread = whilePacksChange(gitDir, environment)

  async function boundsFor(signal: AbortSignal | undefined): Promise<GitBounds> {
    return signal ? { signal, memory: await memoryOfGit(gitDir, memoryForClient) } : bounds
  }

  /** @throws Error if git fails */
  async function run(args: readonly string[], signal?: AbortSignal, input?: string): Promise<Buffer> {
    const options = { environment, bounds: await boundsFor(signal), input }
    return outputOf(await readWithGit(git, gitDir, args, options), args[0] ?? '')
  }

  async function* walk(from: Oid | undefined, to: Oid, signal?: AbortSignal): AsyncGenerator<CommitChanges> {
    if (from === to) return
    let last = from
    let portions = walkOnce(from, to, signal)
    /**
     * The next portion that has a commit. After a failure, the next call continues after the last commit. Empty
     * portions are skipped: they would count as a success, so the same failure could repeat without end.
     */
    async function next(): Promise<IteratorResult<readonly CommitChanges[]>> {
      try {
        for (;;) {
          const portion = await portions.next()
          if (portion.done || portion.value.length > 0) return portion
        }
      } catch (error) {
        portions = walkOnce(last, to, signal)
        throw error
      }
    }
    try {
      for (;;) {
        const portion = await reread(next, isGitFailure)
        if (portion.done) return
        for (const entry of portion.value) yield entry
        last = portion.value.at(-1)?.commit.oid ?? last
      }
    } finally {
      await portions.return(undefined)
    }
  }

  async function* walkOnce(
    from: Oid | undefined,
    to: Oid,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly CommitChanges[], undefined> {
    const args = [
      ...settings,
      'log',
      '--first-parent',
      '--diff-merges=first-parent',
      '--reverse',
      '--root',
      '--raw',
      '-z',
      '--no-renames',
      '--no-abbrev',
      '--no-color',
      '--no-ext-diff',
      '--no-relative',
      '--ignore-submodules=none',
      format,
      from === undefined ? to : `${from}..${to}`,
      '--',
    ]
    const child = spawnGit(git, gitDir, args, { environment, bounds: await boundsFor(signal) })
    const parser = openLogParser()
    // With wrong commit dates, git may list commits before `from`. The first parent tells where the range begins.
    let begun = false
    async function accepted(commits: readonly CommitChanges[]): Promise<readonly CommitChanges[]> {
      const [first] = commits
      if (begun || !first) return commits
      if (from === undefined) await assertRoot(first.commit.oid)
      const start = from === undefined ? 0 : commits.findIndex(({ commit }) => commit.parents[0] === from)
      if (start < 0) return []
      begun = true
      return commits.slice(start)
    }
    // Yields portions, because each yield of a single commit would cost several promises.
    for await (const chunk of streamGitOutput(child, 'log')) yield await accepted(parser.take(chunk))
    yield await accepted(parser.end())
    if (!begun) throw new Error(`The commit ${from} is not on the first-parent chain of ${to}.`)
  }

  /** Detects a shallow clone, where git shows the oldest available commit as a root. */
  async function assertRoot(oid: Oid): Promise<void> {
    const parent = (await commit(oid)).parents[0]
    if (parent !== undefined) throw new MissingObject(parent)
  }

  async function relation(old: Oid, now: Oid, signal?: AbortSignal): Promise<HistoryRelation> {
    if (old === now) return 'same'
    if (!(await objects.has(old))) return 'rewritten'
    // If `old` is on the chain, a listed commit has it as its first parent.
    const chain = await run(['rev-list', '--first-parent', '--parents', `${old}..${now}`, '--'], signal)
    // Lines are "commit parent parent…". Checks all of them, because wrong commit dates can make the list too long.
    if (linesOf(chain).some(line => line.split(' ')[1] === old)) return 'ahead'
    return (await reaches([now], old, signal)) ? 'aside' : 'rewritten'
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

  return { walk, relation, reaches, commit }
}
