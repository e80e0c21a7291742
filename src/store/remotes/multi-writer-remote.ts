import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { Repository } from '../repository/open-repository.js'
import type { PushOutcome } from './push-outcome.js'
import type { RemoteBranch } from './remote-branch.js'

/**
 * The branch of another repository that is the log of several servers: what is in it is stored, in its order, and
 * nothing else is. The branch here follows it. Only for the writer, in its turn.
 */
export interface SharedLog {
  /** Whether the log was at this commit when it was last heard of: then it need not be asked. */
  isKnownAt(commit: Oid): boolean
  /** Has the next look ask the log, whatever is known. */
  forget(): void
  /** Asks the log, and says what brings it and the branch here together. @throws ProblemError `unavailable` */
  compare(here: Oid): Promise<SharedLogStep>
  /**
   * Has the log move on to a commit that continues it: a compare-and-swap.
   * @returns false where it has moved on to something else
   * @throws ProblemError `unavailable` where it cannot be reached, or takes nothing; it may have the commit all the same
   */
  append(commit: Oid): Promise<boolean>
}

export type SharedLogStep =
  | { readonly how: 'nothing' }
  /** The log has yet to get what is here. */
  | { readonly how: 'append' }
  /** The branch here has yet to get what the log has. */
  | { readonly how: 'forward'; readonly to: Oid }
  /** What is here has the log on a side: a commit on top of `served` takes over the tree of `theirs`. */
  | { readonly how: 'join'; readonly served: Oid; readonly theirs: Oid }

type NotMoved = Exclude<PushOutcome, { readonly how: 'moved' | 'elsewhere' }>

/** Seconds after which a repeat makes sense. */
const retryAfter = 5

export function openSharedLog(
  { history, branch }: Pick<Repository, 'history' | 'branch'>,
  log: RemoteBranch,
): SharedLog {
  const { address } = log
  /** Where it was when it was last heard of; undefined: it has to be asked. */
  let seen: Oid | undefined
  /** The commit whose objects were put back there last: what does not help once is not repeated. */
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
    // Also where it has what is here on a side: others may have served more of it than this server knows.
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

  /** Finds out what became of a push that nothing good was heard of. */
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
    const message = `${address}, where updates go first, takes none. Git says: ${said}`
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
