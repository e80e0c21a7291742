import type { Catalog } from '../../catalog/catalog.js'
import { ProblemError } from '../../core/problem.js'
import { startPeriodicTask } from '../../core/scheduling/periodic-task.js'
import type { Oid } from '../../core/value-types.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { CommitLog, LogStep } from '../../store/write/commit-log.js'
import type { Writer } from '../../store/write/writer-interface.js'
import type { ConnectionStatusFile } from './connection-status.js'
import type { PushOutcome, RemoteBranch } from './remote-branch.js'

type NotMoved = Exclude<PushOutcome, { readonly how: 'moved' | 'elsewhere' }>

/** Seconds after which a client should repeat a refused request. */
const retryAfter = 5
/** Milliseconds between two successful trials without an accepted update: the log may refuse only its branch. */
const pauseAfterTrial = 60_000

/**
 * The branch of another repository as a log that several servers share. Only commits in the log count as stored. The
 * local branch follows the log. Callers hold the writer lock.
 */
export class SharedLog implements CommitLog {
  /** The last known commit of the log; undefined if it is unknown. */
  #known: Oid | undefined
  /** The last commit whose objects were restored in the log. This is not repeated if it did not help. */
  #restored: Oid | undefined
  #isGuarded: boolean
  /** The refusal of the last push; undefined if it was accepted, or if a trial was accepted since. */
  #refusal: ProblemError | undefined
  /** Time before which no push to a temporary ref is tried, in milliseconds since 1970. */
  #noTrialBefore = 0

  constructor(
    private readonly repository: Pick<Repository, 'history' | 'branch'>,
    private readonly remote: RemoteBranch,
  ) {
    this.#isGuarded = false
  }

  assertAccepts(): void {
    if (this.#refusal) throw this.#refusal
  }

  /**
   * After a refused push, tries whether the log accepts pushes again. Without this trial, only an update could find
   * out, but a server that reports itself as unhealthy may get no updates.
   */
  async retryRefused(commit: Oid): Promise<void> {
    const refusal = this.#refusal
    if (refusal === undefined || Date.now() < this.#noTrialBefore) return
    const { how } = await this.remote.objects.tryPush(commit)
    if (how !== 'moved' || refusal !== this.#refusal) return
    this.#refusal = undefined
    this.#noTrialBefore = Date.now() + pauseAfterTrial
  }

  forget(): void {
    this.#known = undefined
  }

  async reconcile(here: Oid): Promise<LogStep> {
    if (here === this.#known) return { how: 'same' }
    const { history } = this.repository
    const there = await this.remote.fetch()
    this.#known = there
    const relation = there === undefined ? 'ahead' : await history.relation(there, here)
    if (there === undefined || relation === 'ahead') {
      await this.append(here)
      return { how: 'again' }
    }
    if (relation === 'same') return { how: 'again' }
    if (relation === 'merged') return { how: 'join', served: there }
    if ((await history.relation(here, there)) === 'ahead') return { how: 'forward', to: there }
    // Also if `here` is an ancestor of `there` outside its first-parent chain: others may have served newer commits.
    throw this.#parted(here, there)
  }

  async append(commit: Oid): Promise<boolean> {
    const before = this.#known
    this.#known = undefined
    if (!this.#isGuarded) await this.remote.guard()
    this.#isGuarded = true
    const pushed = await this.remote.push(commit)
    if (pushed.how === 'elsewhere') return false
    if (pushed.how !== 'moved') return await this.#findOut(commit, before, pushed)
    this.#accepted(commit)
    return true
  }

  #accepted(there: Oid): void {
    this.#known = there
    this.#refusal = undefined
    this.#noTrialBefore = 0
  }

  /** After a push that was refused or not confirmed, finds out whether the log has the commit. @returns as `append` */
  async #findOut(commit: Oid, before: Oid | undefined, pushed: NotMoved): Promise<boolean> {
    const { address, objects } = this.remote
    const there = await this.remote.fetch().catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error
      throw new ProblemError(
        'unavailable',
        `${address}, where updates go first, cannot be reached. Git says: ${pushed.said} Nothing is changed here; ` +
          'read again what you wanted to change before you repeat it, as it may have arrived there.',
        { retryAfter },
        { cause: error },
      )
    })
    if (there !== undefined && (await this.repository.history.relation(commit, there)) !== 'rewritten') {
      this.#accepted(there)
      return true
    }
    if (there !== before) return false
    const lacksObjects = pushed.how === 'refused' && pushed.lacksObjects
    if (there !== undefined && lacksObjects && there !== this.#restored) {
      const sent = await objects.restore(there)
      if (sent.how === 'moved') {
        this.#restored = there
        return false
      }
    }
    const message = `The shared log ${address} refuses updates. Git says: ${pushed.said}`
    this.#refusal = new ProblemError('unavailable', message, { retryAfter })
    throw this.#refusal
  }

  #parted(here: Oid, there: Oid): ProblemError {
    const { branch } = this.repository
    const { address } = this.remote
    return new ProblemError(
      'unavailable',
      `${branch} here and in ${address} have parted: it is at ${here} here and at ${there} there. Until they come ` +
        `together nothing is stored. Merge or rebase what was committed here only (git merge ${there}), put ${address} ` +
        'back where it was rewritten or turned round by a merge, or start anew with an empty data folder.',
      { retryAfter },
    )
  }
}

interface SharingOptions {
  readonly repository: Pick<Repository, 'head'>
  readonly catalog: Pick<Catalog, 'head'>
  readonly remote: RemoteBranch
  readonly log: SharedLog
  readonly writer: Pick<Writer, 'synchronize'>
  readonly status: ConnectionStatusFile
  /** Milliseconds between two fetches. */
  readonly interval: number
}

/** Fetches the shared log at an interval, because other servers add commits to it. */
export function watchSharedLog(options: SharingOptions): { close(): Promise<void> } {
  const { repository, catalog, remote, log, writer, status, interval } = options
  return startPeriodicTask(
    interval,
    async signal => {
      const begun = Date.now()
      // Fetches outside the writer's queue, so that the writer waits only for new commits.
      const tip = await remote.fetch(signal)
      if (tip === undefined || tip !== catalog.head()) await writer.synchronize()
      const head = catalog.head()
      if (head === undefined)
        throw new ProblemError('unavailable', `${remote.address} has no commit that is served here.`)
      // `git gc` in the log may have deleted objects of a push that arrived before the branch moved to them.
      if (!(await remote.objects.has(head))) await remote.objects.restore(head)
      await log.retryRefused(await repository.head())
      log.assertAccepts()
      status.noteSuccess(head, begun)
    },
    status.noteFailure,
  )
}
