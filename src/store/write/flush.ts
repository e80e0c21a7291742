import { isPlain } from '../../core/plain-mode.js'
import { ProblemError, type ProblemKind } from '../../core/problem.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { outdated, retryWhileOutdated } from '../../core/scheduling/optimistic-retry.js'
import type { Oid } from '../../core/value-types.js'
import type { Author } from '../objects/commit-format.js'
import type { Repository } from '../repository/open-repository.js'
import type { Checkout } from '../work-tree/checkout.js'
import type { CatalogWriter } from './catalog-interface.js'
import { type AppliedChange, CommitBatch, preloadTrees, type TreeCache } from './commit-batch.js'
import type { CommitSigner } from './commit-signer.js'
import { branchKeepsMoving, type ServedBranch } from './served-branch.js'
import type { WriteLocks } from './writer-and-index-locks.js'
import type { Planned } from './writer-interface.js'

/** An update in the queue, with the callbacks of its caller. */
export interface QueuedUpdate {
  readonly author: Author
  readonly plan: () => Planned | Promise<Planned>
  resolve(commit: Oid | undefined): void
  reject(error: unknown): void
}

interface FlushParts {
  readonly repository: Repository
  readonly branch: ServedBranch
  readonly catalog: CatalogWriter
  readonly locks: WriteLocks
  readonly checkout: Checkout | undefined
  readonly trees: TreeCache
  readonly sign: CommitSigner | undefined
  /** Called after each flush with the number of updates and its duration in milliseconds. */
  readonly onFlushed: (updates: number, milliseconds: number) => void
}

/** Problems that fail the whole flush, not only one update. */
const ofTheFlush: ReadonlySet<ProblemKind> = new Set(['unavailable', 'no-space'])

type Outcome = { readonly commit: Oid | undefined } | { readonly error: unknown }

/** Writes updates: each becomes a commit, and all become durable together. */
export class Flush {
  /** The newest known commit and its tree. */
  #newest: { readonly commit: Oid; readonly tree: Oid } | undefined

  constructor(private readonly parts: FlushParts) {}

  /**
   * Plans updates on the newest state, writes them, and resolves or rejects each of them.
   * @throws a failure of the whole flush; then no update was resolved or rejected
   */
  async run(updates: readonly QueuedUpdate[]): Promise<void> {
    const outcomes = await retryWhileOutdated(
      attempt => this.#tryFlush(updates, attempt > 1),
      branchKeepsMoving,
    )
    await settleAll(updates, outcomes)
  }

  /** Reads the trees on the path of a directory, while its update waits in the queue. */
  readAhead(directory: string): void {
    const { repository, trees } = this.parts
    if (isPlain || !this.#newest) return
    // The update itself meets a failure again and reports it.
    preloadTrees(repository.objects, trees, this.#newest.tree, directory).catch(() => undefined)
  }

  /**
   * Applies the updates to the newest state, makes one commit for each, and moves the branch to the last one.
   * @param isFresh whether the log, if any, was asked after the updates arrived
   * @returns `outdated` if nothing was written, because the branch or the log moved or may have moved
   */
  async #tryFlush(
    updates: readonly QueuedUpdate[],
    isFresh: boolean,
  ): Promise<readonly Outcome[] | typeof outdated> {
    const { repository, branch, catalog, trees, sign } = this.parts
    const started = performance.now()
    const from = await branch.catchUp()
    const batch = new CommitBatch(repository.objects, trees, from, await this.#treeOf(from), sign)
    const applied: AppliedChange[] = []
    const outcomes: Outcome[] = []
    const pauses = openEventLoopPauses()
    let committed = false
    catalog.begin()
    try {
      for (const update of updates) {
        outcomes.push(await this.#applyOne(batch, update, applied))
        await pauses.ifDue()
      }
      if (applied.length > 0) {
        if (!(await this.#append(batch, from, applied))) return outdated
        committed = true
        this.parts.onFlushed(applied.length, performance.now() - started)
      } else {
        // An update that changes nothing probes whether writing is possible.
        catalog.prepare()
        // Refusals are not appended, so the log does not reject outdated ones. Plans again on its newest state.
        if (!isFresh && branch.forgetLog()) return outdated
      }
    } finally {
      if (!committed) await catalog.rollback()
    }
    return outcomes
  }

  /**
   * Moves the branch to the last new commit, and commits the rows in the catalog.
   * @returns false if the branch or the log moved
   */
  async #append(batch: CommitBatch, from: Oid, applied: readonly AppliedChange[]): Promise<boolean> {
    const { branch, catalog, locks } = this.parts
    await locks.takeIndex()
    const subject = applied.length === 1 ? '1 update' : `${applied.length} updates`
    const note = () => this.#noteForWorkTree(batch, applied)
    const prepare = () => catalog.prepare()
    if (!(await branch.append(batch, from, `git-metastore: ${subject}`, note, prepare))) return false
    try {
      await catalog.commit(batch.head)
    } catch (thrown) {
      throw storedAnyway(thrown)
    }
    batch.cacheTrees()
    this.#newest = { commit: batch.head, tree: batch.tree }
    return true
  }

  async #applyOne(batch: CommitBatch, update: QueuedUpdate, applied: AppliedChange[]): Promise<Outcome> {
    try {
      const change = await update.plan()
      if (!change) return { commit: undefined }
      const result = await batch.apply(change, update.author, this.parts.branch.nextTime())
      if (!result) return { commit: undefined }
      this.parts.catalog.add(result.revisions)
      applied.push(result)
      return { commit: result.commit }
    } catch (thrown) {
      // A refusal concerns this update only. Any other error, such as a damaged catalog, fails the flush.
      if (thrown instanceof ProblemError && !ofTheFlush.has(thrown.kind)) return { error: thrown }
      throw thrown
    }
  }

  async #treeOf(commit: Oid): Promise<Oid> {
    if (this.#newest?.commit !== commit) {
      this.#newest = { commit, tree: (await this.parts.repository.history.commit(commit)).tree }
    }
    return this.#newest.tree
  }

  #noteForWorkTree(batch: CommitBatch, applied: readonly AppliedChange[]): void {
    const { checkout } = this.parts
    // Checked under the index lock, which `git checkout` needs too.
    if (!checkout?.isServed()) return
    const updates = applied.flatMap(({ paths }) =>
      paths().map(update => ({
        ...update,
        before: [update.before],
        bytes: update.after === undefined ? undefined : batch.objects.get(update.after)?.bytes,
      })),
    )
    checkout.enqueue(updates, batch.head)
  }
}

async function settleAll(updates: readonly QueuedUpdate[], outcomes: readonly Outcome[]): Promise<void> {
  const pauses = openEventLoopPauses()
  for (const [index, update] of updates.entries()) {
    const outcome = outcomes[index] as Outcome
    if ('error' in outcome) update.reject(outcome.error)
    else update.resolve(outcome.commit)
    // Lets the caller work before the next update is settled.
    await undefined
    await pauses.ifDue()
  }
}

/** The error after the branch moved durably and the catalog failed. The catalog follows as soon as possible. */
function storedAnyway(thrown: unknown): ProblemError {
  const [kind, why] =
    thrown instanceof ProblemError
      ? ([thrown.kind, thrown.message.replace(/ Try again\.$/, '')] as const)
      : (['internal', 'The catalog could not be updated; the log of the server has the reason.'] as const)
  const message = `${why} The update is in the history all the same, and is shown as soon as that is over.`
  return new ProblemError(kind, message, {}, { cause: thrown })
}
