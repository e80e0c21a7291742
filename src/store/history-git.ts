import type { Oid } from '../core/values.js'
import { collectGit, readGit, runGit, spawnGit } from './git-command.js'
import type { CommitChanges, History, Relation } from './history.js'
import { openLogParser } from './log-parser.js'
import { parseCommit } from './object-formats.js'
import { gitFailure, MissingObject, type ObjectReader } from './objects.js'

/** Settings of a person that would change what `git log` says. */
const settings = [
  'log.showSignature=false',
  'log.showRoot=true',
  'log.follow=false',
  'i18n.logOutputEncoding=UTF-8',
].flatMap(setting => ['-c', setting])

/** Eight fields that NUL ends: no message, name or path can have one. @see {@link openLogParser} */
const format = '--format=tformat:%H%x00%T%x00%P%x00%an%x00%ae%x00%cn%x00%ct%x00%B%x00'

/**
 * Reads the history with `git log`, whole and filtered by nobody: a pathspec makes it several times slower.
 * @param objects of the same repository
 * @param more of git's environment: where else objects lie
 * @see git-log(1); `--diff-merges` needs git 2.31
 */
export function openGitHistory(
  git: string,
  gitDir: string,
  objects: ObjectReader,
  more: NodeJS.ProcessEnv = {},
): History {
  async function* walk(from: Oid | undefined, to: Oid): AsyncGenerator<CommitChanges> {
    if (from === to) return
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
    const child = spawnGit(git, gitDir, args, more)
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
    // Not passed on by `yield*`, which would wait three times for each commit of a long history.
    for await (const chunk of readGit(child, 'log'))
      for (const entry of await accepted(parser.take(chunk))) yield entry
    for (const entry of await accepted(parser.end())) yield entry
    if (!begun) throw new Error(`The commit ${from} is not on the first-parent chain of ${to}.`)
  }

  /** In a shallow clone git shows the last commit it has as if it were the first there ever was. */
  async function assertRoot(oid: Oid): Promise<void> {
    const parent = (await commit(oid)).parents[0]
    if (parent !== undefined) throw new MissingObject(parent)
  }

  async function relation(old: Oid, now: Oid): Promise<Relation> {
    if (old === now) return 'same'
    if (!(await objects.has(old))) return 'rewritten'
    // Newest first: where `old` is on the chain, the last commit listed has it as its first parent.
    const chain = await collectGit(
      spawnGit(git, gitDir, ['rev-list', '--first-parent', '--parents', `${old}..${now}`, '--'], more),
    )
    if (chain.code !== 0) throw gitFailure('rev-list', chain.stderr)
    // "commit parent parent…": found anywhere, for clocks that run backwards can make the list too long.
    if (
      chain.stdout
        .toString('latin1')
        .split('\n')
        .some(line => line.split(' ')[1] === old)
    )
      return 'ahead'
    const ancestor = await runGit(git, gitDir, ['merge-base', '--is-ancestor', old, now], more)
    if (ancestor.code === 0) return 'aside'
    if (ancestor.code === 1) return 'rewritten'
    throw gitFailure('merge-base', ancestor.stderr)
  }

  async function commit(oid: Oid) {
    return parseCommit(oid, (await objects.read(oid)).bytes)
  }

  return { walk, relation, commit }
}
