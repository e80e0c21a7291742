import { dirname, join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { outdated, retryWhileOutdated } from '../../core/scheduling/optimistic-retry.js'
import { type Instant, type Oid, toInstant } from '../../core/value-types.js'
import { syncFolder } from '../file-system/durable-files.js'
import { packFolder } from '../git-commands/git-directory.js'
import { noteUndoneUpdates } from '../manual-edits/undone-updates.js'
import { identityLine, serviceIdentity } from '../objects/commit-format.js'
import type { BackgroundMerger } from '../packs/background-merger.js'
import { fastForwardBranch } from '../refs/move-branch.js'
import type { DumbHttpFiles } from '../repository/dumb-http-files.js'
import type { Repository } from '../repository/open-repository.js'
import type { Checkout } from '../work-tree/checkout.js'
import type { CatalogWriter } from './catalog-interface.js'
import { CommitBatch, type TreeCache } from './commit-batch.js'
import type { CommitLog, LogStep } from './commit-log.js'
import type { CommitSigner } from './commit-signer.js'
import { missingFrom, workTreeUpdatesBetween } from './crash-recovery.js'
import type { BatchPersister } from './persist-batch.js'
import type { WriteLocks } from './writer-and-index-locks.js'

interface ServedBranchParts {
  readonly repository: Repository
  readonly catalog: CatalogWriter
  readonly locks: WriteLocks
  readonly checkout: Checkout | undefined
  readonly persister: BatchPersister
  readonly packs: BackgroundMerger
  readonly dumbHttpFiles: DumbHttpFiles
  readonly trees: TreeCache
  /** Milliseconds to wait for git commands of users. */
  readonly patience: number
  readonly sign: CommitSigner | undefined
  /** Must have each commit before it counts as stored. */
  readonly log: CommitLog | undefined
  readonly report: (line: string) => void
}

/** The refusal of a flush or a synchronisation that lost every race. */
export function branchKeepsMoving(): ProblemError {
  return new ProblemError('unavailable', 'Others keep moving the branch. Try again.', { retryAfter: 2 })
}

/** The served branch. The catalog follows it, and batches are appended to it. Callers hold the writer lock. */
export class ServedBranch {
  #latestTime = toInstant(0)
  /** A flush that failed while the branch was moved: a disk may report a failure after the move. */
  #unsure: { readonly head: Oid; readonly note: () => void } | undefined

  constructor(private readonly parts: ServedBranchParts) {}

  /** Whether it is unknown if the last append moved the branch, after a failure of the disk. */
  get isUnsure(): boolean {
    return this.#unsure !== undefined
  }

  /** The current time, later than all times in the history. */
  nextTime(): Instant {
    this.#latestTime = toInstant(Math.max(Date.now(), this.#latestTime + 1))
    return this.#latestTime
  }

  /** Updates the catalog to the branch. @returns the commit of both */
  async catchUp(): Promise<Oid> {
    const { repository, catalog, checkout, log } = this.parts
    const head = log ? await this.#synchronize(log) : await repository.head()
    await this.#followUnsure(head)
    const known = catalog.head()
    const reached = await this.#advance(head)
    if (reached !== known && checkout?.isServed() && !checkout.behind) checkout.recordAppliedCommit(reached)
    return reached
  }

  /**
   * Updates the work tree after HEAD has come back to the branch. Git has checked out the branch, but updates appended
   * during the checkout are missing.
   */
  async rejoin(): Promise<void> {
    const { repository, checkout, locks } = this.parts
    if (!checkout?.isBack) return
    const head = await this.catchUp()
    const reflected = checkout.lastAppliedCommit()
    await locks.takeIndex()
    if (!checkout.isServed()) return
    checkout.back()
    const updates = reflected === undefined ? [] : await missingFrom(repository, reflected, head)
    if (updates.length > 0) checkout.enqueue(updates, head)
    else if (!checkout.behind) checkout.recordAppliedCommit(head)
  }

  /**
   * Makes the objects of a batch durable, appends it to the log, if any, and moves the branch to the batch's head.
   * @param note records the changes for the work tree; called after the branch has moved
   * @param prepare called while the objects are written; if it throws, nothing is stored
   * @returns false if the branch or the log moved before
   * @throws the error of `prepare`
   * @throws ProblemError `unavailable`; or an error of the disk, after which the branch may have moved nevertheless
   */
  async append(
    batch: CommitBatch,
    from: Oid,
    reason: string,
    note: () => void,
    prepare: () => void,
  ): Promise<boolean> {
    const moved = await this.#publish(batch, from, reason, () => {
      prepare()
      this.#unsure = { head: batch.head, note }
    })
    this.#unsure = undefined
    if (moved) note()
    return moved
  }

  /** Runs a function that may move the branch, under all locks; then follows the branch. */
  async runWhileLocked(move: (head: Oid) => Promise<void>): Promise<void> {
    const { repository, locks } = this.parts
    const from = await this.catchUp()
    await locks.takeIndex()
    try {
      await move(from)
    } finally {
      const head = await repository.head()
      if (head !== from) await this.#follow(from, head)
    }
  }

  /** Makes the next {@link catchUp} ask the log. @returns whether there is a log */
  forgetLog(): boolean {
    const { log } = this.parts
    log?.forget()
    return log !== undefined
  }

  /**
   * Updates the work tree after a flush that failed but moved the branch. @param head the current commit of the branch
   */
  async #followUnsure(head: Oid): Promise<void> {
    const unsure = this.#unsure
    if (!unsure) return
    const { repository, locks } = this.parts
    if (head === unsure.head || (await repository.history.relation(unsure.head, head)) === 'ahead') {
      await locks.takeIndex()
      unsure.note()
    }
    this.#unsure = undefined
  }

  /** Updates the catalog. @param head the current commit of the branch  @returns the commit of the catalog */
  async #advance(head: Oid): Promise<Oid> {
    const { repository, catalog, checkout, dumbHttpFiles, log, report } = this.parts
    const { branch, history } = repository
    const known = catalog.head()
    this.#latestTime = toInstant(Math.max(this.#latestTime, catalog.latestTime() ?? 0))
    if (known === head) return head
    const relation = known === undefined ? 'ahead' : await history.relation(known, head)
    if (relation === 'rewritten') {
      throw new ProblemError(
        'unavailable',
        `The history was rewritten: ${branch} is at ${head}, which does not contain ${known}, a commit that was served. Put the branch back (git update-ref ${branch} ${known}) or merge what was lost into it.`,
      )
    }
    // Commits in the log cannot be continued otherwise, because other servers have served them.
    if (relation === 'merged' && log) {
      const message = `${known}, a commit that was served here, has another place in the shared log at ${head}. Start again with an empty data folder.`
      throw new ProblemError('unavailable', message)
    }
    if (relation === 'merged') {
      await catalog.catchUp((await this.#continueServed(known as Oid, head)) ?? (known as Oid))
    } else {
      if (checkout) await noteUndoneUpdates(repository, known, head, report)
      await catalog.catchUp(head)
    }
    dumbHttpFiles.changed()
    const reached = catalog.head()
    if (reached === undefined) throw new Error('The catalog is empty after catching up.')
    return reached
  }

  /**
   * Adds a commit on top of the served history with the tree of `theirs`, after a merge that has the served history as
   * a later parent. Versions are counted along first parents, so the served commits must stay on that chain.
   * @param theirs current commit of the branch
   * @returns the new commit; undefined if the branch or the log moved
   */
  async #continueServed(served: Oid, theirs: Oid): Promise<Oid | undefined> {
    const { repository, trees, sign } = this.parts
    const { objects, history } = repository
    const { recordedAt = this.#latestTime } = await history.commit(served)
    this.#latestTime = toInstant(Math.max(this.#latestTime, recordedAt))
    const { tree } = await history.commit(theirs)
    const batch = new CommitBatch(objects, trees, served, tree, sign)
    const merge = await batch.addMerge(theirs, tree, this.nextTime())
    const moved = await this.#publish(batch, theirs, `git-metastore: continue ${served.slice(0, 12)}`)
    return moved ? merge : undefined
  }

  /** Brings the branch and the log to the same commit. @returns that commit */
  async #synchronize(log: CommitLog): Promise<Oid> {
    const { repository, locks } = this.parts
    return await retryWhileOutdated(async () => {
      const here = await repository.head()
      const step = await log.reconcile(here)
      if (step.how === 'same') return here
      if (step.how !== 'again') {
        await locks.takeIndex()
        const reached = await this.#take(step, here)
        if (reached !== undefined) await this.#follow(here, reached)
      }
      return outdated
    }, branchKeepsMoving)
  }

  /**
   * Moves the branch to a commit that continues what the log has.
   * @returns the new commit of the branch; undefined if the branch or the log moved
   */
  async #take(step: Extract<LogStep, { how: 'forward' | 'join' }>, here: Oid): Promise<Oid | undefined> {
    if (step.how === 'join') return await this.#continueServed(step.served, here)
    const { repository } = this.parts
    const moved = await fastForwardBranch(repository, here, step.to, 'git-metastore: follow the log')
    return moved === 'moved' ? step.to : undefined
  }

  async #publish(batch: CommitBatch, from: Oid, reason: string, prepare?: () => void): Promise<boolean> {
    const { repository, persister, packs, dumbHttpFiles, patience, log } = this.parts
    const { branch } = repository
    const who = identityLine(serviceIdentity, toInstant(Date.now()))
    const move = { branch, from, to: batch.head, reason, signature: who, patience }
    const agree = log && (() => log.append(batch.head))
    const moved = await persister.publish([...batch.objects.values()], move, { prepare, agree })
    packs.added()
    dumbHttpFiles.changed()
    if (moved !== 'locked') return moved === 'moved'
    throw new ProblemError(
      'unavailable',
      `Another git command holds the lock of ${branch}. Try again when it has ended; if none is running, remove ${branch}.lock.`,
      { retryAfter: 2 },
    )
  }

  /** Follows a move of the branch by git under our locks: catalog and work tree. */
  async #follow(from: Oid, head: Oid): Promise<void> {
    const { repository, packs, checkout } = this.parts
    const { gitDir, branch } = repository
    syncFolder(packFolder(gitDir))
    syncFolder(dirname(join(gitDir, branch)))
    packs.added()
    const reached = await this.#advance(head)
    if (!checkout) return
    const updates = checkout.isServed() ? await workTreeUpdatesBetween(repository, from, reached) : []
    if (updates.length > 0) checkout.enqueue(updates, reached)
    else if (checkout.isServed() && !checkout.behind) checkout.recordAppliedCommit(reached)
  }
}
