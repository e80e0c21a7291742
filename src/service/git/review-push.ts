import type { Catalog, RuleCheck } from '../../catalog/catalog.js'
import { ProblemError } from '../../core/problem.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import type { Oid } from '../../core/value-types.js'
import type { PushVerdict, ReceivedPush, RefUpdate } from '../../store/git-http/pre-receive-hook.js'
import { openQuarantine, type Quarantine } from '../../store/git-http/quarantine.js'
import { openDocumentReader } from '../../store/objects/blob-cache.js'
import type { GitBounds } from '../../store/process/git-command.js'
import { readMetastoreFile } from '../../store/repository/metastore-json.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Validator } from '../../validation/validator.js'
import { openBundleAssembler } from '../rules/assemble-schema-bundle.js'
import { openCommitRuleCheck } from '../rules/commit-rules.js'
import {
  abbreviateCommit,
  type CommitViolation,
  violationLine,
  violationsOfRevision,
} from './commit-violations.js'
import { type FileSizeLimits, findFaultsOfFiles } from './incoming-files.js'

export interface ReviewOptions {
  readonly repository: Repository
  readonly git: string
  readonly catalog: Pick<Catalog, 'dryRunCatchUp'>
  readonly validator: Validator
}

/** A push to the served branch, and who is waiting. */
export interface Push {
  readonly received: ReceivedPush
  readonly move: RefUpdate
  readonly limits: FileSizeLimits
  /** Of each git that looks at what was received. */
  readonly bounds: GitBounds & { readonly signal: AbortSignal }
}

/** Milliseconds the review of one push may take: nobody stores anything meanwhile. */
const longestReview = 30_000

/** Faults a pusher is told one by one. */
const mostTold = 50

/**
 * Reviews a push to the served branch by the rules of a PUT: every commit, whoever says to have made it, as each of
 * them becomes a version. Needs the writer lock.
 * @returns the function that does, told where the branch is
 * @throws ProblemError where there can be no verdict
 */
export function openPushReview({ repository, git, catalog, validator }: ReviewOptions) {
  const { gitDir, branch } = repository

  function checkOver({ objects }: Quarantine, signal: AbortSignal): RuleCheck {
    const documents = openDocumentReader(objects)
    const checkRules = openCommitRuleCheck({
      documents,
      bundles: openBundleAssembler(documents, validator),
      validator,
    })
    const end = performance.now() + longestReview
    return (candidate, view) => {
      if (signal.aborted) throw clientGone()
      if (performance.now() > end) {
        const seconds = longestReview / 1000
        const message = `These are more commits than can be checked in ${seconds} seconds. Push them in parts, some hundreds at a time.`
        throw new ProblemError('unavailable', message)
      }
      return checkRules(candidate, view)
    }
  }

  async function faultsIn(
    push: Push,
    quarantine: Quarantine,
    head: Oid,
    to: Oid,
  ): Promise<readonly CommitViolation[]> {
    const ofFiles = await findFaultsOfFiles(quarantine, head, to, push.limits)
    // What is too large is not even read.
    if (ofFiles.length > 0) return ofFiles
    const { objects, history } = quarantine
    const checkRules = checkOver(quarantine, push.bounds.signal)
    return (await catalog.dryRunCatchUp(to, { objects, history, checkRules })).flatMap(violationsOfRevision)
  }

  return async function review(push: Push, head: Oid): Promise<PushVerdict> {
    const { from, to } = push.move
    if (to === undefined) return rejectPush(`${branch} is the branch that is served: it cannot be removed.`)
    if (from !== head)
      return rejectPush(
        `${branch} has moved on to ${abbreviateCommit(head)} meanwhile. Pull, and push again.`,
      )
    const quarantine = openQuarantine(git, gitDir, push.received.environment, push.bounds)
    try {
      const relation = await quarantine.history.relation(head, to)
      if (relation === 'rewritten') {
        return rejectPush(
          `This would rewrite history: ${abbreviateCommit(to)} does not contain ${abbreviateCommit(head)}, which is served.`,
          'Rebase onto it (git pull --rebase) or merge it (git pull --no-rebase), and push again.',
        )
      }
      await readMetastoreFile('What is pushed', to, quarantine.objects, quarantine.history)
      const end = relation === 'merged' ? await quarantine.makeMergeCommit(head, to) : to
      const faults = await faultsIn(push, quarantine, head, end)
      if (faults.length === 0) return { accepted: true, lines: [] }
      // Of the commit that would join the histories the pusher knows nothing.
      const known = faults.map(fault => (fault.commit === end ? { ...fault, commit: to } : fault))
      return rejectPush(...told(known, head))
    } finally {
      await quarantine.close()
    }
  }
}

export function rejectPush(...lines: readonly string[]): PushVerdict {
  return { accepted: false, lines: ['Nothing was changed.', ...lines] }
}

function told(faults: readonly CommitViolation[], head: Oid): readonly string[] {
  const lines = faults
    .slice(0, mostTold)
    .map(fault => `  ${violationLine(fault, abbreviateCommit(fault.commit))}`)
  const more = faults.length - lines.length
  return [
    faults.length === 1 ? 'There is 1 fault:' : `There are ${faults.length} faults:`,
    ...lines,
    ...(more > 0 ? [`  and ${more} more`] : []),
    `Correct each commit that is named (git commit --amend, or git rebase -i ${abbreviateCommit(head)}) and push again.`,
  ]
}
