import { fileLimitNames, fileLimitOptions, fileLimitsOf } from '../../cli/arguments/file-limits.js'
import { flag } from '../../cli/arguments/option-table.js'
import { defineCommand } from '../../cli/command.js'
import { type CommandContext, UsageError } from '../../cli/command-context.js'
import { faultJson, printFaults } from '../../cli/output/check-report.js'
import { exitCodes } from '../../cli/output/exit-codes.js'
import type { Terminal } from '../../cli/output/terminal.js'
import { finishBeforeEnd } from '../../cli/sessions/end-in-order.js'
import { lockWait } from '../../cli/sessions/lock-wait.js'
import { withCommitChecker } from '../../cli/sessions/named-clone.js'
import type { CommitCheckSession } from '../../compose/compose-commit-check.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { pluralize } from '../../core/text/pluralize.js'
import type { Oid } from '../../core/value-types.js'
import type { CheckResult } from '../../service/git/check-clone-commits.js'
import {
  type DryRunCommit,
  gitAddArguments,
  listUncommittedEdits,
  type UncommittedEdit,
} from '../../store/local-clone/dry-run-commit.js'
import { type EnvironmentVariables, linesOrThrow } from '../../store/local-clone/open-clone.js'
import { strayText } from '../../store/repository/head-watch.js'
import { openRepository, type Repository } from '../../store/repository/open-repository.js'
import { onCopyOfIndex } from '../../store/work-tree/index-file.js'
import { runExclusively } from '../../store/write/writer-and-index-locks.js'
import { checkedTreeVariable } from './install-check-hooks.js'
import {
  type CommitRequest,
  forgetCommittedBases,
  prepareCommit,
  writeResolvedEdits,
} from './prepare-commit.js'

type Outcome =
  | { readonly checked: CheckResult; readonly commit: Oid; readonly left: readonly UncommittedEdit[] }
  | { readonly checked: CheckResult }
  | undefined

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
    all: { ...flag, alias: 'a', describe: 'Commit every changed file, not only those of records' },
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
    const outcome = await withCommitChecker(argv, context, false, session =>
      checkAndCommit(session, { messages, all, paths, resolution, limits }, context),
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
    for (const { path } of left) terminal.note(`Not committed, because it is not part of a record: ${path}`)
  },
})

async function checkAndCommit(
  session: CommitCheckSession,
  request: CommitRequest,
  { terminal }: CommandContext,
): Promise<Outcome> {
  const { clone } = session
  if (clone.workTree === undefined) {
    throw malformedRequest(`${clone.dir} is bare: it has no work tree with edits.`)
  }
  const repository = await openRepository(clone.workTree, { git: clone.binary })
  const stray = strayText(repository)
  if (stray !== undefined) {
    await repository.close()
    throw new ProblemError('conflict', `${stray} Commit to other branches with git itself.`)
  }
  const options = lockWait(terminal)
  const whileLocked = <T>(job: (takeIndex: () => Promise<void>) => Promise<T>) =>
    finishBeforeEnd(() => runExclusively(repository, options, job))
  /** Checks and commits; `changed` if files or the branch changed meanwhile. @param step runs a function locked */
  async function attempt(step: typeof whileLocked): Promise<Outcome | 'changed'> {
    const prepared = await step(() => prepareCommit(session, request))
    const { draft, resolved } = prepared
    if (draft.commit === undefined) {
      if (resolved.size > 0) await step(() => writeResolvedEdits(session, repository, prepared, terminal))
      return undefined
    }
    const checked = await session.check(draft.head, draft.commit, request.limits)
    if (checked.faults.length > 0) return { checked }
    const commit = await step(async takeIndex => {
      await takeIndex()
      return await commitAsChecked(session, repository, request, draft, terminal)
    })
    return commit === undefined ? 'changed' : { checked, commit, left: await leftOut(session, request) }
  }
  try {
    const first = await attempt(whileLocked)
    if (first !== 'changed') return first
    // A busy server moves the branch all the time. The second attempt, which is faster, holds the lock to its end.
    const second = await whileLocked(takeIndex => attempt(job => job(takeIndex)))
    if (second !== 'changed') return second
  } finally {
    await repository.close()
  }
  throw new ProblemError('unavailable', 'Files or the branch change while they are checked. Try again.')
}

/**
 * Commits on a copy of the index, so that a refused commit leaves nothing staged. The caller has locked the index.
 * @returns undefined if the work tree or the branch differs from what was checked
 */
async function commitAsChecked(
  session: CommitCheckSession,
  repository: Repository,
  request: CommitRequest,
  checked: DryRunCommit,
  terminal: Terminal,
): Promise<Oid | undefined> {
  const { clone } = session
  const prepared = await prepareCommit(session, request)
  const { draft, parts } = prepared
  if (draft.tree !== checked.tree || draft.head !== checked.head) return undefined
  await onCopyOfIndex(repository, async copy => {
    const variables = { ...identity(), GIT_INDEX_FILE: copy, [checkedTreeVariable]: checked.tree }
    const git = async (args: readonly string[], input = '') =>
      linesOrThrow(
        await clone.git(['-C', repository.dir, ...args], variables, input),
        `git ${args.join(' ')}`,
      )
    await writeResolvedEdits(session, repository, prepared, terminal, variables)
    if (parts.what === 'everything') await git(['add', '--all', '.'])
    else if ('paths' in parts && parts.paths.length > 0) await git(...gitAddArguments(parts))
    const messages = request.messages.flatMap(message => ['-m', message])
    const only = parts.what === 'only' ? ['--only', '--', ...parts.paths] : []
    await git(['commit', '--quiet', ...messages, ...only])
  })
  const commit = await repository.head()
  if ((await repository.history.commit(commit)).tree !== checked.tree) {
    throw new ProblemError(
      'unavailable',
      `The commit ${commit} is not what was checked: a hook or another program changed files meanwhile. See \`git-metastore check ${commit}\`.`,
    )
  }
  await forgetCommittedBases(session, repository, draft.head, commit)
  return commit
}

/** The environment variables that tell git an author, a committer and settings. */
function identity(): EnvironmentVariables {
  const named = Object.entries(process.env).filter(([name]) => /^GIT_(AUTHOR|COMMITTER|CONFIG)_/.test(name))
  return Object.fromEntries(named.map(([name, value]) => [name, value ?? '']))
}

/** Edits that `commit` left out, because their files are not part of a record. None with paths or `--all`. */
async function leftOut(
  { clone }: CommitCheckSession,
  { all, paths }: CommitRequest,
): Promise<readonly UncommittedEdit[]> {
  return all || paths.length > 0 ? [] : await listUncommittedEdits(clone)
}
