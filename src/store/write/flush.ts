import type { Author } from '../../core/author.js'
import type { ProblemKind } from '../../core/problem.js'
import { ProblemError } from '../../core/problem.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Oid } from '../../core/value-types.js'
import type { Repository } from '../repository/open-repository.js'
import type { Checkout } from '../work-tree/checkout.js'
import type { CatalogWriter } from './catalog-interface.js'
import {
  type AppliedChange,
  type CommitBatch,
  openCommitBatch,
  preloadTrees,
  type TreeCache,
} from './commit-batch.js'
import type { CommitSigner } from './commit-signer.js'
import { branchKeepsMoving, maxAttempts, type ServedBranch } from './served-branch.js'
import type { Planned } from './writer.js'
import type { WriteLocks } from './writer-and-index-locks.js'

/** An update in the queue, and whoever waits for it. */
export interface QueuedUpdate {
  readonly author: Author
  readonly plan: () => Planned | Promise<Planned>
  resolve(commit: Oid | undefined): void
  reject(error: unknown): void
}

export interface FlushOptions {
  readonly repository: Repository
  readonly branch: ServedBranch
  readonly ledger: CatalogWriter
  readonly locks: WriteLocks
  readonly checkout: Checkout | undefined
  readonly trees: TreeCache
  readonly sign: CommitSigner | undefined
  /** Is told what a flush stored, and how many milliseconds it took. */
  readonly stored: (updates: number, milliseconds: number) => void
}

export interface Flush {
  /**
   * Plans updates on the newest state, each a commit of its own, and makes them durable at once; tells those who wait.
   * @throws what concerns all of them: then nobody has been told
   */
  run(updates: readonly QueuedUpdate[]): Promise<void>
  /** Reads ahead while an update waits: at flush time each of its trees would be waited for in turn. */
  readAhead(directory: string): void
}

/** Problems that concern all updates of a flush, and not the one that met them. */
const ofTheBatch: ReadonlySet<ProblemKind> = new Set(['unavailable', 'no-space'])

type Outcome = { readonly commit: Oid | undefined } | { readonly error: unknown }

export function openFlush(options: FlushOptions): Flush {
  const { repository, branch, ledger, locks, checkout, trees, sign, stored } = options
  const { objects, history } = repository
  /** The newest commit that was looked at, and its tree. */
  let newest: { readonly commit: Oid; readonly tree: Oid } | undefined

  async function run(updates: readonly QueuedUpdate[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const outcomes = await tryFlush(updates, attempt > 1)
      if (outcomes) return await tell(updates, outcomes)
      if (attempt === maxAttempts) throw branchKeepsMoving()
    }
  }

  /** Whoever is told has an answer to make of it. */
  async function tell(updates: readonly QueuedUpdate[], outcomes: readonly Outcome[]): Promise<void> {
    const pauses = openEventLoopPauses()
    for (const [at, update] of updates.entries()) {
      const outcome = outcomes[at] as Outcome
      if ('error' in outcome) update.reject(outcome.error)
      else update.resolve(outcome.commit)
      // so that some of that work is done before the next one is told
      await undefined
      await pauses.ifDue()
    }
  }

  /**
   * @param isFresh the log has been asked since the updates came
   * @returns undefined where nothing has happened, because somebody else moved the branch or may have: plan again
   */
  async function tryFlush(
    updates: readonly QueuedUpdate[],
    isFresh: boolean,
  ): Promise<readonly Outcome[] | undefined> {
    const started = performance.now()
    const from = await branch.catchUp()
    const batch = openCommitBatch(objects, trees, from, await treeOf(from), sign)
    const applied: AppliedChange[] = []
    const outcomes: Outcome[] = []
    const pauses = openEventLoopPauses()
    let committed = false
    ledger.begin()
    try {
      for (const update of updates) {
        outcomes.push(await applyOne(batch, update, applied))
        await pauses.ifDue()
      }
      // Of nothing, too: whoever asks whether updates are taken sends one that changes nothing.
      ledger.prepare()
      if (applied.length > 0) {
        await locks.takeIndex()
        const subject = applied.length === 1 ? '1 update' : `${applied.length} updates`
        const reason = `git-metastore: ${subject}`
        const note = () => noteForWorkTree(batch, applied)
        if (!(await branch.append(batch, from, reason, note))) return undefined
        try {
          await ledger.commit(batch.head())
        } catch (thrown) {
          throw storedAnyway(thrown)
        }
        committed = true
        batch.keep()
        newest = { commit: batch.head(), tree: batch.tree() }
        stored(applied.length, performance.now() - started)
      } else if (!isFresh && branch.forgetSharedLog()) {
        // What the log takes was planned on the newest state; what it does not see may be refused for an old one.
        return undefined
      }
    } finally {
      if (!committed) await ledger.rollback()
    }
    return outcomes
  }

  /** The branch has moved, and that is on disk: the ledger is brought up to it as soon as it can be. */
  function storedAnyway(thrown: unknown): ProblemError {
    const [kind, why] =
      thrown instanceof ProblemError
        ? ([thrown.kind, thrown.message.replace(/ Try again\.$/, '')] as const)
        : (['internal', 'The catalog could not be told of the update; the log says why.'] as const)
    const message = `${why} The update is in the history all the same, and is shown as soon as that is over.`
    return new ProblemError(kind, message, {}, { cause: thrown })
  }

  async function applyOne(
    batch: CommitBatch,
    update: QueuedUpdate,
    applied: AppliedChange[],
  ): Promise<Outcome> {
    try {
      const change = await update.plan()
      if (!change) return { commit: undefined }
      const result = await batch.apply(change, update.author, branch.nextTime())
      if (!result) return { commit: undefined }
      ledger.add(result.revisions)
      applied.push(result)
      return { commit: result.commit }
    } catch (thrown) {
      // A refusal concerns this update alone; anything else, a catalog that is damaged too, is a failure of the batch.
      if (thrown instanceof ProblemError && !ofTheBatch.has(thrown.kind)) return { error: thrown }
      throw thrown
    }
  }

  async function treeOf(commit: Oid): Promise<Oid> {
    if (newest?.commit !== commit) newest = { commit, tree: (await history.commit(commit)).tree }
    return newest.tree
  }

  function readAhead(directory: string): void {
    if (!newest) return
    // What cannot be read is met again by the update itself, which says so.
    preloadTrees(objects, trees, newest.tree, directory).catch(() => undefined)
  }

  function noteForWorkTree(batch: CommitBatch, applied: readonly AppliedChange[]): void {
    // Asked under the index lock, which `git checkout` needs too.
    if (!checkout?.isServed()) return
    const updates = applied.flatMap(({ paths }) =>
      paths().map(update => ({
        ...update,
        before: [update.before],
        bytes: update.after === undefined ? undefined : batch.objects.get(update.after)?.bytes,
      })),
    )
    checkout.enqueue(updates, batch.head())
  }

  return { run, readAhead }
}
