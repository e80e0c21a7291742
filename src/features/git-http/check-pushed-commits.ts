import type { Catalog, RuleCheck } from '../../catalog/catalog.js'
import { ProblemError } from '../../core/problem.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import type { Oid } from '../../core/value-types.js'
import {
  abbreviateCommit,
  type CommitFault,
  faultLine,
  faultsOfRevision,
} from '../../service/git/commit-fault.js'
import { type FileSizeLimits, findIncomingFaults } from '../../service/git/incoming-commit-rules.js'
import type { RefUpdate } from '../../service/git/ref-name-rules.js'
import { openBundleAssembler } from '../../service/rules/assemble-schema-bundle.js'
import { openCommitRuleCheck } from '../../service/rules/commit-rules.js'
import type { RecordHooks } from '../../service/rules/record-hooks.js'
import { openDocumentReader } from '../../store/blobs/blob-reader.js'
import type { GitBounds } from '../../store/git-commands/git-command.js'
import { readMetastoreFile } from '../../store/repository/metastore-json.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Validator } from '../../validation/validator.js'
import type { PushVerdict, ReceivedPush } from './pre-receive-hook.js'
import { openQuarantine, type Quarantine } from './quarantine.js'

export interface PushReviewOptions {
  readonly repository: Repository
  readonly git: string
  readonly catalog: Pick<Catalog, 'dryRunCatchUp'>
  readonly validator: Validator
  readonly features: readonly RecordHooks[]
}

/** A push to the served branch. */
export interface Push {
  readonly received: ReceivedPush
  readonly move: RefUpdate
  readonly limits: FileSizeLimits
  /** Limits of each git process that reads the push. */
  readonly bounds: GitBounds & { readonly signal: AbortSignal }
}

/** Time limit of a review in milliseconds: updates wait meanwhile. */
const maxReviewMilliseconds = 30_000

/** Limit of the faults in a refusal. */
const maxListedFaults = 50

/**
 * Checks a push to the served branch by the rules of a PUT. It checks every commit, also those that claim to be a
 * server's, because each becomes a version. The caller holds the writer lock.
 * @returns a function that checks a push; its parameter `head` is the commit of the served branch
 * @throws ProblemError if the check is impossible or takes too long
 */
export function openPushReview({ repository, git, catalog, validator, features }: PushReviewOptions) {
  const { gitDir, branch } = repository

  function openTimedCheck({ objects }: Quarantine, signal: AbortSignal): RuleCheck {
    const documents = openDocumentReader(objects)
    const checkRules = openCommitRuleCheck({
      documents,
      bundles: openBundleAssembler(documents, validator),
      validator,
      features,
    })
    const end = performance.now() + maxReviewMilliseconds
    return (candidate, view) => {
      if (signal.aborted) throw clientGone()
      if (performance.now() > end) {
        const seconds = maxReviewMilliseconds / 1000
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
  ): Promise<readonly CommitFault[]> {
    const ofFiles = await findIncomingFaults(quarantine, head, to, push.limits)
    // Files that are too large must not be read.
    if (ofFiles.length > 0) return ofFiles
    const { objects, history } = quarantine
    const checkRules = openTimedCheck(quarantine, push.bounds.signal)
    return (await catalog.dryRunCatchUp(to, { objects, history, checkRules })).flatMap(faultsOfRevision)
  }

  return async function review(push: Push, head: Oid): Promise<PushVerdict> {
    const { from, to } = push.move
    if (to === undefined) return rejectPush(`${branch} is the served branch: it cannot be removed.`)
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
      await readMetastoreFile(undefined, to, quarantine.objects, quarantine.history)
      const end = relation === 'merged' ? await quarantine.makeMergeCommit(head, to) : to
      const faults = await faultsIn(push, quarantine, head, end)
      if (faults.length === 0) return { accepted: true, lines: [] }
      // Faults of the server's own merge commit are reported for the pushed commit.
      const reported = faults.map(fault => (fault.commit === end ? { ...fault, commit: to } : fault))
      return rejectPush(...faultLines(reported, head))
    } finally {
      await quarantine.close()
    }
  }
}

export function rejectPush(...lines: readonly string[]): PushVerdict {
  return { accepted: false, lines: ['Nothing was changed.', ...lines] }
}

function faultLines(faults: readonly CommitFault[], head: Oid): readonly string[] {
  const lines = faults
    .slice(0, maxListedFaults)
    .map(fault => `  ${faultLine(fault, abbreviateCommit(fault.commit))}`)
  const more = faults.length - lines.length
  return [
    faults.length === 1 ? 'There is 1 fault:' : `There are ${faults.length} faults:`,
    ...lines,
    ...(more > 0 ? [`  and ${more} more`] : []),
    `Correct each commit that is named (git commit --amend, or git rebase -i ${abbreviateCommit(head)}) and push again.`,
  ]
}
