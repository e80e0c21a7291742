import type { Oid } from '../../core/value-types.js'
import { type GitOptions, startGit, streamGitOutput } from '../git-commands/git-command.js'
import { isGitFailure } from '../git-commands/git-failure.js'
import { whilePacksChange } from '../git-commands/retry-while-packs-change.js'
import { parseCommit } from '../objects/commit-format.js'
import { MissingObject } from '../objects/object-errors.js'
import type { ObjectReader } from '../objects/object-reader.js'
import type { CommitChanges } from './first-parent-history.js'
import { openLogParser } from './git-log-parser.js'

/** Overrides user settings that change the output of `git log`. */
const settings = [
  'log.showSignature=false',
  'log.showRoot=true',
  'log.follow=false',
  'i18n.logOutputEncoding=UTF-8',
].flatMap(setting => ['-c', setting])

/** `git log` without a pathspec, which would make it much slower. */
const log = [
  ...['log', '--first-parent', '--diff-merges=first-parent', '--reverse', '--root', '--raw', '-z'],
  ...['--no-renames', '--no-abbrev', '--no-color', '--no-ext-diff', '--no-relative'],
  '--ignore-submodules=none',
  // Fields terminated by NUL, which no message, name or path contains. See `openLogParser`.
  '--format=tformat:%H%x00%T%x00%P%x00%an%x00%ae%x00%cn%x00%ct%x00%B%x00',
]

/** The repository to walk. */
interface WalkedRepository {
  readonly git: string
  readonly gitDir: string
  readonly objects: ObjectReader
  readonly environment: GitOptions['environment']
  /** Returns the options for a git process. */
  readonly options: () => Promise<GitOptions>
}

/** {@link History.walk} with `git log`. Continues with another process if git fails while packs change. */
export async function* walkWithGitLog(
  repository: WalkedRepository,
  from: Oid | undefined,
  to: Oid,
): AsyncGenerator<CommitChanges> {
  if (from === to) return
  const reread = whilePacksChange(repository.gitDir, repository.environment)
  let last = from
  let portions = walkOnce(repository, from, to)
  /**
   * The next portion with commits. After a failure, the next call continues after the last yielded commit. Empty
   * portions are skipped: each would count as progress, so the same failure could repeat without end.
   */
  async function next(): Promise<IteratorResult<readonly CommitChanges[]>> {
    try {
      for (;;) {
        const portion = await portions.next()
        if (portion.done || portion.value.length > 0) return portion
      }
    } catch (error) {
      portions = walkOnce(repository, last, to)
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

/** Walks with a single process. Yields portions, because yielding each commit would cost several promises. */
async function* walkOnce(
  { git, gitDir, objects, options }: WalkedRepository,
  from: Oid | undefined,
  to: Oid,
): AsyncGenerator<readonly CommitChanges[], undefined> {
  const range = from === undefined ? to : `${from}..${to}`
  const program = await startGit(git, gitDir, [...settings, ...log, range, '--'], await options())
  const parser = openLogParser()
  // With wrong commit dates, git may also list commits before `from`. The range begins with the child of `from`.
  let begun = false
  async function accepted(commits: readonly CommitChanges[]): Promise<readonly CommitChanges[]> {
    const [first] = commits
    if (begun || !first) return commits
    if (from === undefined) await assertRoot(objects, first.commit.oid)
    const start = from === undefined ? 0 : commits.findIndex(({ commit }) => commit.parents[0] === from)
    if (start < 0) return []
    begun = true
    return commits.slice(start)
  }
  for await (const chunk of streamGitOutput(program, 'log')) yield await accepted(parser.take(chunk))
  yield await accepted(parser.end())
  if (!begun) throw new Error(`The commit ${from} is not on the first-parent chain of ${to}.`)
}

/** Detects a shallow clone, where git shows the oldest available commit as a root. */
async function assertRoot(objects: ObjectReader, oid: Oid): Promise<void> {
  const parent = parseCommit(oid, (await objects.read(oid)).bytes).parents[0]
  if (parent !== undefined) throw new MissingObject(parent)
}
