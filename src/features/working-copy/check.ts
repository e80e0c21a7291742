import { fileLimitNames, fileLimitOptions, fileLimitsOf } from '../../cli/arguments/file-limits.js'
import { readInput, standardInput } from '../../cli/arguments/input-file.js'
import { flag } from '../../cli/arguments/option-table.js'
import { defineCommand } from '../../cli/command.js'
import { UsageError } from '../../cli/command-context.js'
import { checkSummaryLine, type DraftName, faultJson, printFaults } from '../../cli/output/check-report.js'
import { exitCodes } from '../../cli/output/exit-codes.js'
import { outdatedJson, outdatedText } from '../../cli/output/outdated-edits-report.js'
import { withCommitChecker } from '../../cli/sessions/named-clone.js'
import type { CommitCheckSession } from '../../compose/compose-commit-check.js'
import { malformedRequest } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { CheckResult } from '../../service/git/check-clone-commits.js'
import type { FileSizeLimits } from '../../service/git/incoming-commit-rules.js'
import { refNameFault, refNameRefusal } from '../../service/git/ref-name-rules.js'
import { type OutdatedEdit, outdatedEdits } from '../../service/manual-edits/outdated-edits.js'
import { makeDryRunCommit } from '../../store/local-clone/dry-run-commit.js'
import { linesOrThrow, resolveCommit } from '../../store/local-clone/open-clone.js'
import { draftedFiles } from '../../store/manual-edits/find-outdated-edits.js'

export const checkCommand = defineCommand({
  positionals: {
    range: {
      type: 'string',
      describe:
        'main..work, a commit, or - for the input of pre-receive; default: the edits of the work tree',
    },
  },
  options: {
    staged: { ...flag, describe: 'Check only what is staged (git add)' },
    ...fileLimitOptions,
  },
  fromEnvironment: fileLimitNames,
  async run(argv, context) {
    const { terminal } = context
    const { range, staged, json } = argv
    const limits = fileLimitsOf(argv)
    if (staged && range !== undefined) throw new UsageError('Give a range or --staged, not both.')
    const draft: DraftName | undefined = range === undefined ? (staged ? 'staged' : 'work tree') : undefined
    const pushed = range === standardInput ? pushedIn(await readInput(standardInput)) : undefined
    const checked = await withCommitChecker(argv, context, pushed !== undefined, async room => {
      const { dir } = room.clone
      if (pushed) return { ...(await checkPushed(room, pushed, limits)), outdated: [], dir }
      if (range !== undefined) return { ...(await checkRange(room, range, limits)), outdated: [], dir }
      return { ...(await checkDraft(room, draft === 'staged' ? 'staged' : 'everything', limits)), dir }
    })
    const { outdated, dir } = checked
    const good = checked.faults.length === 0
    if (outdated.length > 0) context.finish(exitCodes.refused)
    if (!good) context.finish(exitCodes.invalid)
    if (json) {
      const faults = checked.faults.map(fault => faultJson(fault, draft !== undefined))
      const { commits, revisions } = checked
      return terminal.printJson({
        ...{ commits, revisions, faults },
        ...(outdated.length > 0 && { outdated: outdated.map(outdatedJson) }),
      })
    }
    await printFaults(terminal, checked.faults, draft)
    // A push to other branches than the served one prints nothing.
    if (pushed === undefined || checked.commits > 0 || !good)
      await terminal.print(checkSummaryLine(terminal, checked))
    if (!good) await terminal.print(draft === undefined ? adviceForCommits : adviceForDraft)
    if (outdated.length > 0) await terminal.print(outdatedText(outdated, dir))
  },
})

const adviceForDraft = 'Correct the files, then check and commit them.'
const adviceForCommits =
  'Every commit counts as a version: correct the commits themselves with git commit --amend or git rebase -i.'

async function checkDraft(
  room: CommitCheckSession,
  what: 'staged' | 'everything',
  limits: FileSizeLimits,
): Promise<CheckResult & { readonly outdated: readonly OutdatedEdit[] }> {
  const { clone, scratch } = room
  const { head, tree, commit } = await makeDryRunCommit(clone, scratch, { what })
  if (commit === undefined) return { ...nothing, outdated: [] }
  const outdated = await outdatedEdits(clone, head, draftedFiles(clone, scratch, tree))
  return { ...(await room.check(head, commit, limits)), outdated }
}

const nothing: CheckResult = { commits: 0, revisions: 0, faults: [] }

/** Checks a range in git's syntax: `a..b`, `a...b` (from the merge base of both to `b`), or one commit. */
async function checkRange(
  room: CommitCheckSession,
  range: string,
  limits: FileSizeLimits,
): Promise<CheckResult> {
  const { clone, scratch } = room
  const index = range.indexOf('..')
  if (index < 0) {
    const commit = await resolveCommit(clone, range)
    return await room.check((await scratch.history.commit(commit)).parents[0], commit, limits)
  }
  const dots = range.startsWith('...', index) ? '...' : '..'
  const first = range.slice(0, index)
  const last = range.slice(index + dots.length)
  const from = await resolveCommit(clone, first || 'HEAD')
  const to = await resolveCommit(clone, last || 'HEAD')
  if (dots === '..') return await room.check(from, to, limits)
  const base = linesOrThrow(await clone.git(['merge-base', from, to]), `git merge-base ${first} ${last}`)[0]
  return await room.check(base as Oid, to, limits)
}

/** A ref that a push changes. @see githooks(5), "pre-receive" */
interface Pushed {
  readonly from: Oid | undefined
  /** The new commit; undefined if the push deletes the ref. */
  readonly to: Oid | undefined
  readonly ref: string
}

const noCommit = /^0+$/

function pushedIn(text: Buffer): readonly Pushed[] {
  const lines = text.toString().split('\n')
  return lines
    .filter(line => line !== '')
    .map(line => {
      const [, from = '', to = '', ref = ''] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (\S+)$/.exec(line) ?? []
      if (ref === '') throw new UsageError('Standard input must have lines of: old commit, new commit, ref.')
      const named = (oid: string) => (noCommit.test(oid) ? undefined : (oid as Oid))
      return { from: named(from), to: named(to), ref }
    })
}

/** Checks the branch that HEAD points at. Other branches may hold anything: they are not served. */
async function checkPushed(
  room: CommitCheckSession,
  pushed: readonly Pushed[],
  limits: FileSizeLimits,
): Promise<CheckResult> {
  for (const move of pushed) {
    const why = refNameFault(move, room.clone.branch ?? '')
    if (why !== undefined) throw malformedRequest(refNameRefusal(move.ref, why))
  }
  const served = pushed.find(({ ref }) => ref === room.clone.branch)
  if (!served) return nothing
  const { from, to, ref } = served
  if (to !== undefined) return await room.check(from, to, limits)
  const message = `${ref} is the branch that is served; it cannot be deleted.`
  return { ...nothing, faults: [{ commit: from as Oid, message }] }
}
