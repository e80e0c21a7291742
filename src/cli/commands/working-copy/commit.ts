import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { CommitCheckSession } from '../../../compose/compose-commit-check.js'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import type { CheckResult } from '../../../service/git/check-commits.js'
import type { FileSizeLimits } from '../../../service/git/incoming-files.js'
import {
  type OutdatedEdit,
  outdatedEdits,
  type Resolution,
  resolveEdits,
} from '../../../service/git/resolve-outdated-edits.js'
import { refuseLinkedFolders } from '../../../store/file-system/regular-files.js'
import { checkedTreeVariable } from '../../../store/local-clone/check-hooks.js'
import {
  type CommitSelection,
  type DryRunCommit,
  gitAddArguments,
  listUncommittedEdits,
  makeDryRunCommit,
  type UncommittedEdit,
} from '../../../store/local-clone/dry-run-commit.js'
import { type EnvironmentVariables, linesOrThrow } from '../../../store/local-clone/open-clone.js'
import { blobsIn, draftedFiles } from '../../../store/manual-edits/find-outdated-edits.js'
import { strayText } from '../../../store/repository/head-watch.js'
import { openRepository, type Repository } from '../../../store/repository/open-repository.js'
import { forgetEditBases, readEditBases } from '../../../store/work-tree/edit-bases.js'
import { runExclusively } from '../../../store/write/run-under-writer-lock.js'
import { fileLimitNames, fileLimitOptions, fileLimitsOf } from '../../arguments/file-limits.js'
import { defineCommand } from '../../command.js'
import { type CommandContext, UsageError } from '../../command-context.js'
import { faultJson, pluralize, printFaults } from '../../output/check-report.js'
import { exitCodes } from '../../output/exit-codes.js'
import { outdatedText } from '../../output/outdated-edits-report.js'
import type { Terminal } from '../../output/terminal.js'
import { patience, reportTo } from '../../sessions/beside-server.js'
import { withCommitChecker } from './check.js'

interface Wanted {
  readonly messages: readonly string[]
  readonly all: boolean
  /** Relative to the data folder. */
  readonly paths: readonly string[]
  /** How to treat edits that are based on an older version. Undefined: the command refuses them. */
  readonly resolution: Resolution | undefined
  readonly limits: FileSizeLimits
}

type Outcome =
  | { readonly checked: CheckResult; readonly commit: Oid; readonly left: readonly UncommittedEdit[] }
  | { readonly checked: CheckResult }
  | undefined

/** A commit that is not made yet, with the edits that are based on an older version. */
interface Prepared {
  readonly draft: DryRunCommit
  readonly parts: CommitSelection
  readonly outdated: readonly OutdatedEdit[]
  /** New content of files, by path. Undefined: the file is deleted. */
  readonly instead: ReadonlyMap<string, Uint8Array | undefined>
}

export const commitCommand = defineCommand({
  positionals: {
    paths: {
      type: 'string',
      array: true,
      describe: 'Commit only these; default: all edits of records, and what is staged',
    },
  },
  options: {
    message: {
      alias: 'm',
      type: 'string',
      array: true,
      // One value for each --message: the next argument is a path.
      nargs: 1,
      demandOption: true,
      describe: 'Message of the commit; each of several is a paragraph',
    },
    all: {
      alias: 'a',
      type: 'boolean',
      default: false,
      describe: 'Commit every changed file, not only those of records',
    },
    ours: {
      type: 'boolean',
      conflicts: ['theirs', 'merge'],
      describe: 'If an edit is based on an older version: commit the file of the work tree',
    },
    theirs: {
      type: 'boolean',
      conflicts: ['ours', 'merge'],
      describe: 'In this case: replace the edit by the newest stored version',
    },
    merge: {
      type: 'boolean',
      conflicts: ['ours', 'theirs'],
      describe: 'In this case: merge both, JSON by members and other text by lines',
    },
    ...fileLimitOptions,
  },
  fromEnvironment: fileLimitNames,
  async run(argv, context) {
    const { terminal } = context
    const { message: messages, all, paths = [], json } = argv
    const limits = fileLimitsOf(argv)
    const resolution = (['ours', 'theirs', 'merge'] as const).find(name => argv[name])
    if (all && paths.length > 0) throw new UsageError('Give paths or --all, not both.')
    const outcome = await withCommitChecker(argv, context, false, room =>
      checkAndCommit(room, { messages, all, paths, resolution, limits }, context),
    )
    if (outcome === undefined) {
      return json ? terminal.printJson({ faults: [] }) : terminal.print('There is nothing to commit.')
    }
    const { revisions, faults } = outcome.checked
    if (!('commit' in outcome)) {
      context.finish(exitCodes.invalid)
      if (json) return terminal.printJson({ revisions, faults: faults.map(fault => faultJson(fault, true)) })
      await printFaults(terminal, faults, 'work tree')
      return terminal.print(`Nothing is committed: ${pluralize(faults.length, 'fault')}.`)
    }
    const { commit, left } = outcome
    if (json) return terminal.printJson({ commit, revisions, faults, left: left.map(({ path }) => path) })
    const what = `${terminal.paint('bold', commit.slice(0, 10))}: ${pluralize(revisions, 'revision')} of records`
    await terminal.print(`Committed ${what}`)
    for (const { path } of left) terminal.note(`Not committed, as it is no record: ${path}`)
  },
})

async function checkAndCommit(
  room: CommitCheckSession,
  wanted: Wanted,
  { terminal }: CommandContext,
): Promise<Outcome> {
  const { clone } = room
  if (clone.workTree === undefined) {
    throw malformedRequest(`${clone.dir} is bare: it has no work tree with edits.`)
  }
  const repository = await openRepository(clone.workTree, { git: clone.binary })
  const stray = strayText(repository)
  if (stray !== undefined) {
    await repository.close()
    throw new ProblemError('conflict', `${stray} Commit to other branches with git itself.`)
  }
  const options = { patience, report: reportTo(terminal) }
  const turn = <T>(job: () => Promise<T>) => runExclusively(repository, options, job)
  /** @param step runs a function while no other process writes */
  async function attempt(step: typeof turn): Promise<Outcome | 'changed'> {
    const prepared = await step(() => prepare(room, wanted))
    const { draft, instead } = prepared
    if (draft.commit === undefined) {
      if (instead.size > 0) await step(() => bringInstead(room, repository, prepared, terminal))
      return undefined
    }
    const checked = await room.check(draft.head, draft.commit, wanted.limits)
    if (checked.faults.length > 0) return { checked }
    const commit = await step(() => commitAsChecked(room, repository, wanted, draft, terminal))
    return commit === undefined ? 'changed' : { checked, commit, left: await leftOut(room, wanted) }
  }
  try {
    const first = await attempt(turn)
    if (first !== 'changed') return first
    // A busy server moves the branch all the time. The second attempt keeps the lock. It is faster than the first.
    const second = await turn(() => attempt(job => job()))
    if (second !== 'changed') return second
  } finally {
    await repository.close()
  }
  throw new ProblemError('unavailable', 'Files or the branch change while they are checked. Try again.')
}

/** @throws ProblemError `conflict` for a merge with conflicts, and for edits that are based on an older version */
async function prepare(
  { clone, scratch }: CommitCheckSession,
  { all, paths, resolution }: Wanted,
): Promise<Prepared> {
  const edits = await listUncommittedEdits(clone)
  const conflicts = edits.filter(({ change }) => change === 'conflict')
  if (conflicts.length > 0) {
    const named = conflicts.map(({ path }) => path).join(', ')
    throw new ProblemError(
      'conflict',
      `A merge has conflicts in ${named}. Resolve them, and \`git add\` them.`,
    )
  }
  const parts: CommitSelection = all
    ? { what: 'everything' }
    : paths.length > 0
      ? { what: 'only', paths: paths.map(path => resolve(clone.dir, path)) }
      : {
          what: 'staged-and',
          paths: edits.filter(({ ours, staged }) => ours && !staged).map(({ path }) => path),
        }
  if (parts.what === 'staged-and' && clone.workTree !== undefined) {
    for (const path of parts.paths) await refuseLinkedFolders(clone.workTree, path)
  }
  const draft = await makeDryRunCommit(clone, scratch, parts)
  refuseLinks(draft)
  const files = draftedFiles(clone, scratch, draft.tree)
  const outdated = await outdatedEdits(clone, draft.head, files)
  if (outdated.length === 0) return { draft, parts, outdated, instead: new Map() }
  if (resolution === undefined) throw new ProblemError('conflict', outdatedText(outdated, clone.dir))
  const instead = await resolveEdits(clone, outdated, resolution, files)
  const resolved = instead.size === 0 ? draft : await makeDryRunCommit(clone, scratch, parts, instead)
  return { draft: resolved, parts, outdated, instead }
}

/** @throws ProblemError `malformed-request` if the commit adds a symbolic link */
function refuseLinks({ links: [link] }: DryRunCommit): void {
  if (link === undefined) return
  throw malformedRequest(
    `"${link}" is a symbolic link, and a commit holds regular files only: put a copy of what it points at in its place.`,
  )
}

/** Replaces edits by the resolved content. Git keeps the edits as objects. */
async function bringInstead(
  { clone, scratch }: CommitCheckSession,
  { dir, ownDir, stagingDir }: Repository,
  { outdated, instead }: Prepared,
  terminal: Terminal,
): Promise<void> {
  const git = async (args: readonly string[]) =>
    linesOrThrow(await clone.git(['-C', dir, '--literal-pathspecs', ...args]), `git ${args[0]}`)
  for (const [path, bytes] of instead) {
    const edited = outdated.find(edit => edit.path === path)?.edited
    if (edited !== undefined) {
      const before = join(scratch.folder, 'edit')
      await writeFile(before, (await scratch.objects.read(edited)).bytes)
      await git(['hash-object', '-w', '--no-filters', '--', before])
      terminal.note(`Your edit of ${path} is kept: git -C ${clone.dir} cat-file -p ${edited}`)
    }
    const file = join(dir, path)
    if (bytes === undefined) await rm(file, { force: true })
    else {
      const made = join(stagingDir, `new-${randomBytes(6).toString('hex')}`)
      await writeFile(made, bytes)
      await chmod(made, 0o644)
      await mkdir(dirname(file), { recursive: true })
      await rename(made, file)
    }
    await git(['add', '--all', '--', path])
  }
  forgetEditBases(ownDir, instead.keys())
}

/** Forgets which version committed edits are based on. */
async function forgetCommitted(
  { clone }: CommitCheckSession,
  { ownDir }: Repository,
  before: Oid | undefined,
  commit: Oid,
): Promise<void> {
  const paths = [...readEditBases(ownDir).keys()]
  if (paths.length === 0 || before === undefined) return
  const [old, now] = await Promise.all([before, commit].map(each => blobsIn(clone, each, paths)))
  forgetEditBases(
    ownDir,
    paths.filter(path => old?.get(path) !== now?.get(path)),
  )
}

/** @returns undefined if the work tree or the branch differs from what was checked */
async function commitAsChecked(
  room: CommitCheckSession,
  repository: Repository,
  wanted: Wanted,
  checked: DryRunCommit,
  terminal: Terminal,
): Promise<Oid | undefined> {
  const { clone } = room
  const prepared = await prepare(room, wanted)
  const { draft, parts } = prepared
  if (draft.tree !== checked.tree || draft.head !== checked.head) return undefined
  const git = async (args: readonly string[], variables: EnvironmentVariables = {}, input = '') =>
    linesOrThrow(
      await clone.git(['-C', repository.dir, ...args], { ...identity(), ...variables }, input),
      `git ${args.join(' ')}`,
    )
  await bringInstead(room, repository, prepared, terminal)
  if (parts.what === 'everything') await git(['add', '--all', '.'])
  else if ('paths' in parts && parts.paths.length > 0) {
    const [args, input] = gitAddArguments(parts)
    await git(args, {}, input)
  }
  const messages = wanted.messages.flatMap(message => ['-m', message])
  const only = parts.what === 'only' ? ['--only', '--', ...parts.paths] : []
  await git(['commit', '--quiet', ...messages, ...only], { [checkedTreeVariable]: checked.tree })
  const commit = await repository.head()
  if ((await repository.history.commit(commit)).tree !== checked.tree) {
    throw new ProblemError(
      'unavailable',
      `The commit ${commit} is not what was checked: a hook or another program changed files meanwhile. See \`git-metastore check ${commit}\`.`,
    )
  }
  await forgetCommitted(room, repository, draft.head, commit)
  return commit
}

/** The variables by which git names the author, the committer and a configuration. */
function identity(): EnvironmentVariables {
  const named = Object.entries(process.env).filter(([name]) => /^GIT_(AUTHOR|COMMITTER|CONFIG)_/.test(name))
  return Object.fromEntries(named.map(([name, value]) => [name, value ?? '']))
}

/** Edits outside of records, if the command line did not name paths. */
async function leftOut(
  { clone }: CommitCheckSession,
  { all, paths }: Wanted,
): Promise<readonly UncommittedEdit[]> {
  return all || paths.length > 0 ? [] : await listUncommittedEdits(clone)
}
