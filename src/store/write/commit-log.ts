import type { Oid } from '../../core/value-types.js'

/** What brings the local branch and a log to the same commit. */
export type LogStep =
  /** Nothing: both are at the same commit. */
  | { readonly how: 'same' }
  /** To ask again: the log has got the commits of the local branch, or was asked what it has. */
  | { readonly how: 'again' }
  /** To fast-forward the local branch to the log. */
  | { readonly how: 'forward'; readonly to: Oid }
  /** The log is an ancestor, but not on the first-parent chain: to commit on top of `served` with the local tree. */
  | { readonly how: 'join'; readonly served: Oid }

/**
 * A log outside of the repository, which other servers may extend too. A commit counts as stored only when the log has
 * it, so each update is appended to it between the local flush and the answer. The local branch follows the log. The
 * writer lock is held during all calls but `assertAccepts`.
 */
export interface CommitLog {
  /** Forgets what the log has, so that the next `reconcile` asks it. */
  forget(): void
  /**
   * Compares the log with the local branch, and appends commits that it lacks. Asks the log only if it is not known to
   * be at `here`.
   * @param here the commit of the local branch
   * @throws ProblemError `unavailable`
   */
  reconcile(here: Oid): Promise<LogStep>
  /**
   * Moves the log to a commit that continues it, by compare-and-swap. The objects are durable, and the local branch is
   * locked and moves to the commit afterwards.
   * @returns false if the log has other new commits: then nothing is stored, and the updates are planned again
   * @throws ProblemError `unavailable` if the log refuses the commit or cannot be reached; it may have it nevertheless
   */
  append(commit: Oid): Promise<boolean>
  /** @throws ProblemError `unavailable` if the log is known to refuse updates */
  assertAccepts(): void
}
