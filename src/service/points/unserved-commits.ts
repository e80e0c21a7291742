import { LRUCache } from 'lru-cache'
import type { FirstParentChain } from '../../catalog/revision-history/first-parent-chain.js'
import type { UnservedPoint } from '../../core/history-point.js'
import { malformedRequest } from '../../core/problem.js'
import type { ClientWork } from '../../core/scheduling/client-work.js'
import type { Oid } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'

/** Limit of the commits of an unserved branch that are read to find where it left the served history. */
const maxBranchCommits = 10_000
/** Number of commits in each cache. */
const maxCached = 1000

/**
 * Finds where branches left the served history.
 * @returns `cached`: the point of a commit, if it is in the cache; `find`: the same, reading commits if necessary
 */
export function openBranchPoints(
  chain: Pick<FirstParentChain, 'positionOf'>,
  history: Pick<History, 'commit'>,
) {
  /** The base of each unserved commit. */
  const bases = new LRUCache<Oid, Oid>({ max: maxCached })

  function cached(commit: Oid): UnservedPoint | undefined {
    const base = bases.get(commit)
    return base !== undefined && chain.positionOf(base) !== undefined ? { unserved: commit, base } : undefined
  }

  return {
    cached,

    /** Finds a point. @throws ProblemError `malformed-request` if the branch is too long, or has no served commit */
    async find(commit: Oid, work: ClientWork | undefined): Promise<UnservedPoint> {
      const known = cached(commit)
      if (known) return known
      let next: Oid | undefined = commit
      for (let count = 0; next !== undefined && count < maxBranchCommits; count++) {
        work?.signal.throwIfAborted()
        if (chain.positionOf(next) !== undefined) {
          bases.set(commit, next)
          return { unserved: commit, base: next }
        }
        next = (await history.commit(next)).parents[0]
      }
      throw malformedRequest(
        `The commit ${commit} cannot be read here: none of its last ${maxBranchCommits} commits is in the served history. Clone the repository to read it.`,
      )
    },
  }
}

export interface ReachabilityOptions {
  readonly chain: Pick<FirstParentChain, 'positionOf'>
  readonly history: Pick<History, 'reaches'>
  /** The served commit. */
  readonly head: () => Oid | undefined
  /** Commits of all tags and branches. */
  readonly tips: (signal: AbortSignal | undefined) => Promise<readonly Oid[]>
}

/**
 * Finds out whether a commit is reachable from a tag or a branch. Other commits were removed from their branch, and git
 * has not deleted them yet.
 */
export function openReachability({ chain, history, head, tips }: ReachabilityOptions) {
  /** From where each commit was reachable: a served commit, or all unserved tips at that time, joined by commas. */
  const reachedFrom = new LRUCache<Oid, string>({ max: maxCached })

  return async (commit: Oid, work: ClientWork | undefined): Promise<boolean> => {
    const served = head()
    const others = (await tips(work?.signal)).filter(tip => chain.positionOf(tip) === undefined)
    const known = reachedFrom.get(commit)
    if (known !== undefined && (known === others.join() || chain.positionOf(known as Oid) !== undefined)) {
      return true
    }
    if (served !== undefined && (await history.reaches([served], commit, work?.signal))) {
      reachedFrom.set(commit, served)
      return true
    }
    if (await history.reaches(others, commit, work?.signal)) {
      reachedFrom.set(commit, others.join())
      return true
    }
    return false
  }
}
