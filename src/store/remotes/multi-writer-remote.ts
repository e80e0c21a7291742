import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { Repository } from '../repository/open-repository.js'
import type { PushOutcome } from './push-outcome.js'
import type { RemoteBranch } from './remote-branch.js'

/**
 * The branch of another repository as a log that several servers share. Only commits in the log count as stored. The
 * local branch follows the log. Callers hold the writer lock.
 */
export interface SharedLog {
  /** Whether this commit is the last known state of the log; then no fetch is needed. */
  isKnownAt(commit: Oid): boolean
  /** Forgets the last known state. */
  forget(): void
  /**
   * Fetches the log and returns the step that synchronizes it with the local branch. @throws ProblemError `unavailable`
   */
  compare(here: Oid): Promise<SharedLogStep>
  /**
   * Moves the log to a commit that continues it: a compare-and-swap.
   * @returns false if the log has other new commits
   * @throws ProblemError `unavailable` if the log cannot be reached or refuses; it may have the commit nevertheless
   */
  append(commit: Oid): Promise<boolean>
}

export type SharedLogStep =
  | { readonly how: 'nothing' }
  /** Push the local branch to the log. */
  | { readonly how: 'append' }
  /** Fast-forward the local branch to the log. */
  | { readonly how: 'forward'; readonly to: Oid }
  /** The log is an ancestor, but not on the first-parent chain: commit on top of `served` with the tree of `theirs`. */
  | { readonly how: 'join'; readonly served: Oid; readonly theirs: Oid }

type NotMoved = Exclude<PushOutcome, { readonly how: 'moved' | 'elsewhere' }>

/** Seconds after which a repeat makes sense. */
const retryAfter = 5

export function openSharedLog(
  { history, branch }: Pick<Repository, 'history' | 'branch'>,
  log: RemoteBranch,
): SharedLog {
  const { address } = log
  /** The last known commit of the log; undefined: unknown. */
  let seen: Oid | undefined
  /** The last commit whose objects were restored there; not repeated if it did not help. */
  let restored: Oid | undefined
  let isGuarded = false

  async function compare(here: Oid): Promise<SharedLogStep> {
    const there = await log.fetch()
    seen = there
    if (there === undefined) return { how: 'append' }
    const forth = await history.relation(there, here)
    if (forth === 'same') return { how: 'nothing' }
    if (forth === 'ahead') return { how: 'append' }
    if (forth === 'aside') return { how: 'join', served: there, theirs: here }
    if ((await history.relation(here, there)) === 'ahead') return { how: 'forward', to: there }
    // Also if `here` is an ancestor outside the first-parent chain: other servers may have served newer commits.
    throw parted(here, there)
  }

  function parted(here: Oid, there: Oid): ProblemError {
    return new ProblemError(
      'unavailable',
      `${branch} here and in ${address} have parted: it is at ${here} here and at ${there} there. Until they come ` +
        `together nothing is stored. Merge or rebase what was committed here only (git merge ${there}), put ${address} ` +
        'back where it was rewritten or turned round by a merge, or start anew with an empty data folder.',
      { retryAfter },
    )
  }

  /** Finds out whether a push without confirmation arrived. */
  async function findOut(commit: Oid, before: Oid | undefined, pushed: NotMoved): Promise<boolean> {
    const { said } = pushed
    let there: Oid | undefined
    try {
      there = await log.fetch()
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      throw new ProblemError(
        'unavailable',
        `${address}, where updates go first, cannot be reached. Git says: ${said} Nothing is changed here; read ` +
          'again what you wanted to change before you repeat it, as it may have arrived there.',
        { retryAfter },
        { cause: error },
      )
    }
    if (there !== undefined && (await history.relation(commit, there)) !== 'rewritten') {
      seen = there
      return true
    }
    if (there !== before) return false
    if (there !== undefined && pushed.how === 'refused' && pushed.lacksObjects && there !== restored) {
      const sent = await log.objects.restore(there)
      if (sent.how === 'moved') {
        restored = there
        return false
      }
    }
    const message = `The shared log ${address} refuses updates. Git says: ${said}`
    throw new ProblemError('unavailable', message, { retryAfter })
  }

  return {
    isKnownAt: commit => commit === seen,
    forget() {
      seen = undefined
    },
    compare,
    async append(commit) {
      const before = seen
      seen = undefined
      if (!isGuarded) await log.guard()
      isGuarded = true
      const pushed = await log.push(commit)
      if (pushed.how === 'elsewhere') return false
      if (pushed.how !== 'moved') return await findOut(commit, before, pushed)
      seen = commit
      return true
    },
  }
}
