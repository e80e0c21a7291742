import type { Oid } from '../../core/value-types.js'
import { parseCommit } from '../objects/commit-and-tree-parser.js'
import { MissingObject, type ObjectReader } from '../objects/object-reader.js'
import { type GitBounds, type GitResult, spawnGit, streamGitOutput } from '../process/git-command.js'
import { gitFailure, isGitFailure } from '../process/git-failure.js'
import { memoryOfGit } from '../process/git-memory-estimate.js'
import { readWithGit } from '../process/git-read-command.js'
import { whilePacksChange } from '../process/retry-while-packs-change.js'
import type { CommitChanges, History, HistoryRelation } from './first-parent-history.js'
import { openLogParser } from './git-log-parser.js'

/** Settings of a person that would change what `git log` says. */
const settings = [
  'log.showSignature=false',
  'log.showRoot=true',
  'log.follow=false',
  'i18n.logOutputEncoding=UTF-8',
].flatMap(setting => ['-c', setting])

/** Eight fields that NUL ends: no message, name or path can have one. @see {@link openLogParser} */
const format = '--format=tformat:%H%x00%T%x00%P%x00%an%x00%ae%x00%cn%x00%ct%x00%B%x00'

/** Bytes of memory for a git that reads the history for a client, in an empty repository. */
const memoryForClient = 512 * 2 ** 20

/**
 * Reads the whole history with `git log`, without a pathspec, which makes it several times slower.
 * @param objects of the same repository
 * @param more of git's environment: where else objects lie
 * @param bounds of every git; default: none, but where a client is worked for
 * @see git-log(1), `--diff-merges`, which needs git 2.31
 */
export function openGitLogHistory(
  git: string,
  gitDir: string,
  objects: ObjectReader,
  more: NodeJS.ProcessEnv = {},
  bounds: GitBounds = {},
): History {
  const reread = whilePacksChange(gitDir, more)

  async function boundsFor(signal: AbortSignal | undefined): Promise<GitBounds> {
    return signal ? { signal, memory: await memoryOfGit(gitDir, memoryForClient) } : bounds
  }

  /** @throws Error where it fails */
  async function run(args: readonly string[], signal?: AbortSignal, input?: string): Promise<GitResult> {
    const asked = { more, bounds: await boundsFor(signal), ...(input !== undefined && { input }) }
    const result = await readWithGit(git, gitDir, args, asked)
    if (result.code === 0) return result
    throw gitFailure(args[0] ?? '', result.stderr)
  }

  async function* walk(from: Oid | undefined, to: Oid, signal?: AbortSignal): AsyncGenerator<CommitChanges> {
    if (from === to) return
    let last = from
    let portions = walkOnce(from, to, signal)
    /**
     * The next portion that has a commit. Where git fails, another one goes on behind the last commit: a portion without
     * a commit would count as a success, and the same failure come again without end.
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
    const child = spawnGit(git, gitDir, args, more, await boundsFor(signal))
    const parser = openLogParser()
    // Clocks that run backwards can make git list commits before `from` too; the chain itself says where it begins.
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
    // In portions: to pass on each commit of a long history would wait three times for it.
    for await (const chunk of streamGitOutput(child, 'log')) yield await accepted(parser.take(chunk))
    yield await accepted(parser.end())
    if (!begun) throw new Error(`The commit ${from} is not on the first-parent chain of ${to}.`)
  }

  /** In a shallow clone git shows the last commit it has as if it were the first there ever was. */
  async function assertRoot(oid: Oid): Promise<void> {
    const parent = (await commit(oid)).parents[0]
    if (parent !== undefined) throw new MissingObject(parent)
  }

  async function relation(old: Oid, now: Oid, signal?: AbortSignal): Promise<HistoryRelation> {
    if (old === now) return 'same'
    if (!(await objects.has(old))) return 'rewritten'
    // Newest first: where `old` is on the chain, the last commit listed has it as its first parent.
    const chain = await run(['rev-list', '--first-parent', '--parents', `${old}..${now}`, '--'], signal)
    // "commit parent parent…": found anywhere, for clocks that run backwards can make the list too long.
    if (
      chain.stdout
        .toString('latin1')
        .split('\n')
        .some(line => line.split(' ')[1] === old)
    )
      return 'ahead'
    return (await reaches([now], old, signal)) ? 'aside' : 'rewritten'
  }

  async function reaches(tips: readonly Oid[], commit: Oid, signal?: AbortSignal): Promise<boolean> {
    if (tips.length === 0) return false
    // What the commit leads to and no tip does: the commit itself is the first of it, or there is none.
    const names = [commit, ...tips.map(tip => `^${tip}`)]
    const { stdout } = await run(['rev-list', '--max-count=1', '--stdin'], signal, `${names.join('\n')}\n`)
    return stdout.length === 0
  }

  async function commit(oid: Oid) {
    return parseCommit(oid, (await objects.read(oid)).bytes)
  }

  return { walk, relation, reaches, commit }
}
