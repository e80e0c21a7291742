import { dirname, join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { type Instant, type Oid, toInstant } from '../../core/value-types.js'
import { syncDirectory } from '../file-system/durable-files.js'
import type { DumbHttpFiles } from '../git-http/dumb-http-files.js'
import { noteUndoneUpdates } from '../manual-edits/undone-updates.js'
import { identityLine, serviceIdentity } from '../objects/commit-encoder.js'
import type { BackgroundMerger } from '../packs/background-merger.js'
import { packDirectory } from '../process/git-directory.js'
import { fastForwardBranch } from '../refs/fast-forward.js'
import { openSharedLog, type SharedLog, type SharedLogStep } from '../remotes/multi-writer-remote.js'
import type { RemoteBranch } from '../remotes/remote-branch.js'
import type { Repository } from '../repository/open-repository.js'
import type { Checkout } from '../work-tree/checkout.js'
import type { CatalogWriter } from './catalog-interface.js'
import { type CommitBatch, openCommitBatch, type TreeCache } from './commit-batch.js'
import type { CommitSigner } from './commit-signer.js'
import { missingFrom, workTreeUpdatesBetween } from './crash-recovery.js'
import type { BatchPersister } from './persist-batch.js'
import type { WriteLocks } from './writer-and-index-locks.js'

export interface ServedBranchOptions {
  readonly repository: Repository
  readonly ledger: CatalogWriter
  readonly locks: WriteLocks
  readonly checkout: Checkout | undefined
  readonly publisher: BatchPersister
  readonly packs: BackgroundMerger
  readonly dumbHttpFiles: DumbHttpFiles
  readonly trees: TreeCache
  /** Milliseconds to wait for a person's git commands. */
  readonly patience: number
  readonly sign: CommitSigner | undefined
  readonly log: RemoteBranch | undefined
  readonly report: (line: string) => void
}

/** The branch, whoever moves it: the ledger follows it, and what is written here is put on its end. Under the locks. */
export interface ServedBranch {
  /** Brings the ledger up to the branch, whoever moved it. @returns the commit both are at */
  catchUp(): Promise<Oid>
  /** Where HEAD has come back to the branch, has the work tree get what it lacks of it. */
  rejoin(): Promise<void>
  /** Now, and later than everything in the history. */
  nextTime(): Instant
  /**
   * Makes the batch's objects durable, has the log take them where there is one, then moves the branch to its head.
   * @param note has the work tree follow; called once the branch has moved
   * @returns false where somebody else moved the branch or the log
   * @throws ProblemError `unavailable`; a failing disk's error, and then it may have moved all the same
   */
  append(batch: CommitBatch, from: Oid, reason: string, note: () => void): Promise<boolean>
  /** The disk failed while the branch was moved: it is not known yet whether it has. */
  readonly isUnsure: boolean
  /** Has somebody move the branch under our locks, and takes over what came of it. */
  runWhileLocked(move: (head: Oid) => Promise<void>): Promise<void>
  /** What others have may be newer than what is known of it. @returns whether there are others */
  forgetSharedLog(): boolean
}

/** Tries on top of a branch that others keep moving. */
export const maxAttempts = 20

export function branchKeepsMoving(): ProblemError {
  return new ProblemError('unavailable', 'Others keep moving the branch. Try again.', { retryAfter: 2 })
}

export function openServedBranch(options: ServedBranchOptions): ServedBranch {
  const {
    repository,
    ledger,
    locks,
    checkout,
    publisher,
    packs,
    dumbHttpFiles,
    trees,
    patience,
    sign,
    report,
  } = options
  const log = options.log && openSharedLog(repository, options.log)
  const { gitDir, branch, objects, history } = repository
  let latestTime = toInstant(0)
  /** A flush of which it is not known whether it moved the branch: a disk may fail once that is done. */
  let unsure: { readonly head: Oid; readonly note: () => void } | undefined

  function nextTime(): Instant {
    latestTime = toInstant(Math.max(Date.now(), latestTime + 1))
    return latestTime
  }

  async function catchUp(): Promise<Oid> {
    const head = log ? await meet(log) : await repository.head()
    await followUnsure(head)
    const known = ledger.head()
    const reached = await advance(head)
    if (reached !== known && checkout?.isServed() && !checkout.behind) checkout.recordAppliedCommit(reached)
    return reached
  }

  /**
   * Git has brought the work tree back to the branch as it found it. What was put on the branch at that moment, before HEAD
   * was back, is missing there.
   */
  async function rejoin(): Promise<void> {
    if (!checkout?.isBack) return
    const head = await catchUp()
    const reflected = checkout.lastAppliedCommit()
    await locks.takeIndex()
    if (!checkout.isServed()) return
    checkout.back()
    const updates = reflected === undefined ? [] : await missingFrom(repository, reflected, head)
    if (updates.length > 0) checkout.enqueue(updates, head)
    else if (!checkout.behind) checkout.recordAppliedCommit(head)
  }

  /** Has the work tree follow a flush that failed and moved the branch all the same. @param head where that is */
  async function followUnsure(head: Oid): Promise<void> {
    if (!unsure) return
    if (head === unsure.head || (await history.relation(unsure.head, head)) === 'ahead') {
      await locks.takeIndex()
      unsure.note()
    }
    unsure = undefined
  }

  /** @param head where the branch was found */
  async function advance(head: Oid): Promise<Oid> {
    const known = ledger.head()
    latestTime = toInstant(Math.max(latestTime, ledger.latestTime() ?? 0))
    if (known === head) return head
    const relation = known === undefined ? 'ahead' : await history.relation(known, head)
    if (relation === 'rewritten') {
      throw new ProblemError(
        'unavailable',
        `The history was rewritten: ${branch} is at ${head}, which does not contain ${known}, a commit that was served. Put the branch back (git update-ref ${branch} ${known}) or merge what was lost into it.`,
      )
    }
    // What is in the log stays as it is: others have served it.
    if (relation === 'aside' && log) {
      const message = `${known}, a commit that was served here, has another place in the log, up to ${head}. Start anew with an empty data folder.`
      throw new ProblemError('unavailable', message)
    }
    if (relation === 'aside') {
      await ledger.catchUp((await continueServed(known as Oid, head, head)) ?? (known as Oid))
    } else {
      if (checkout) await noteUndoneUpdates(repository, known, head, report)
      await ledger.catchUp(head)
    }
    dumbHttpFiles.changed()
    const reached = ledger.head()
    if (reached === undefined) throw new Error('The catalog is empty after catching up.')
    return reached
  }

  /**
   * Somebody merged the served branch into their own and made that the branch: versions are counted along first
   * parents, so what was served must stay there. One more commit on top says so.
   * @param at where the branch is
   * @returns that commit; undefined where somebody else moved the branch or the log
   */
  async function continueServed(served: Oid, theirs: Oid, at: Oid): Promise<Oid | undefined> {
    const { recordedAt = latestTime } = await history.commit(served)
    latestTime = toInstant(Math.max(latestTime, recordedAt))
    const { tree } = await history.commit(theirs)
    const batch = openCommitBatch(objects, trees, served, tree, sign)
    const join = await batch.addMerge(theirs, tree, serviceIdentity, nextTime())
    const moved = await publish(batch, at, `git-metastore: continue ${served.slice(0, 12)}`)
    return moved ? join : undefined
  }

  /** Brings the branch and the log together. @returns the commit both are at */
  async function meet(shared: SharedLog): Promise<Oid> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const here = await repository.head()
      if (shared.isKnownAt(here)) return here
      const step = await shared.compare(here)
      if (step.how === 'append') {
        await shared.append(here)
      } else if (step.how !== 'nothing') {
        await locks.takeIndex()
        const reached = await take(step, here)
        if (reached !== undefined) await takeOver(here, reached)
      }
    }
    throw branchKeepsMoving()
  }

  /** @returns where the branch is then; undefined where somebody else moved it or the log */
  async function take(
    step: Extract<SharedLogStep, { how: 'forward' | 'join' }>,
    here: Oid,
  ): Promise<Oid | undefined> {
    if (step.how === 'join') return await continueServed(step.served, step.theirs, here)
    const moved = await fastForwardBranch(repository, here, step.to, 'git-metastore: follow the log')
    return moved === 'moved' ? step.to : undefined
  }

  async function publish(batch: CommitBatch, from: Oid, reason: string): Promise<boolean> {
    const who = identityLine(serviceIdentity, toInstant(Date.now()))
    const move = { branch, from, to: batch.head(), reason, signature: who, patience }
    const agree = log && (() => log.append(batch.head()))
    const moved = await publisher.publish([...batch.objects.values()], move, agree)
    packs.added()
    dumbHttpFiles.changed()
    if (moved !== 'locked') return moved === 'moved'
    throw new ProblemError(
      'unavailable',
      `Another git command holds the lock of ${branch}. Try again when it has ended; if none is running, remove ${branch}.lock.`,
      { retryAfter: 2 },
    )
  }

  async function append(batch: CommitBatch, from: Oid, reason: string, note: () => void): Promise<boolean> {
    unsure = { head: batch.head(), note }
    const moved = await publish(batch, from, reason)
    unsure = undefined
    if (moved) note()
    return moved
  }

  async function runWhileLocked(move: (head: Oid) => Promise<void>): Promise<void> {
    const from = await catchUp()
    await locks.takeIndex()
    try {
      await move(from)
    } finally {
      const head = await repository.head()
      if (head !== from) await takeOver(from, head)
    }
  }

  /** What was moved beside us, under our locks, is taken over as if it were ours. */
  async function takeOver(from: Oid, head: Oid): Promise<void> {
    syncDirectory(packDirectory(gitDir))
    syncDirectory(dirname(join(gitDir, branch)))
    packs.added()
    const reached = await advance(head)
    if (!checkout) return
    const updates = checkout.isServed() ? await workTreeUpdatesBetween(repository, from, reached) : []
    if (updates.length > 0) checkout.enqueue(updates, reached)
    else if (checkout.isServed() && !checkout.behind) checkout.recordAppliedCommit(reached)
  }

  return {
    catchUp,
    rejoin,
    nextTime,
    append,
    get isUnsure() {
      return unsure !== undefined
    },
    runWhileLocked,
    forgetSharedLog() {
      log?.forget()
      return log !== undefined
    },
  }
}
