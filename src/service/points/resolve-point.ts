import { LRUCache } from 'lru-cache'
import type { FirstParentChain } from '../../catalog/revision-history/first-parent-chain.js'
import {
  type HistoryPoint,
  type PointExpression,
  pointSyntaxHint,
  type UnservedPoint,
} from '../../core/history-point.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import type { BeginWork, ClientWork } from '../../core/scheduling/client-work.js'
import { formatInstant, type Instant, type Oid, truncate } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import { hasObject, type ObjectReader } from '../../store/objects/object-reader.js'
import { findTagOrBranch, listTagAndBranchCommits } from '../../store/refs/list-refs.js'

/** Finds the points of history that requests name. */
export interface PointResolver {
  /**
   * A full name of 40 digits is a commit. Any other name is, as in git, a tag, else a branch, else the prefix of a
   * commit; and else a time.
   * @param begin called before anything but the served history is searched
   * @throws ProblemError `not-found`; `malformed-request` for a point that cannot be read; errors of `begin`
   */
  find(name: PointExpression, begin: BeginWork): Promise<HistoryPoint | UnservedPoint>
}

export interface PointResolverOptions {
  readonly gitDir: string
  /** Full name of the served branch. */
  readonly branch: string
  readonly chain: FirstParentChain
  /** The served commit. */
  readonly head: () => Oid | undefined
  readonly objects: ObjectReader
  readonly history: History
}

export function openPointResolver(options: PointResolverOptions): PointResolver {
  const { gitDir, branch, chain, head, objects, history } = options
  const tips = (signal?: AbortSignal) => listTagAndBranchCommits(gitDir, objects, signal)
  const branchPoints = openBranchPoints(chain, history)
  const isReachable = openReachability({ chain, history, head, tips })

  function servedPoint(commit: Oid): HistoryPoint | undefined {
    return chain.positionOf(commit) === undefined ? undefined : { commit }
  }

  async function pointOfFullName(commit: Oid, begin: BeginWork): Promise<HistoryPoint | UnservedPoint> {
    const served = servedPoint(commit)
    if (served) return served
    // Whether the object exists is known without a search of the history.
    if (!(await hasObject(objects, commit))) throw unknownCommit(commit)
    const work = begin()
    if (!(await isReachable(commit, work))) throw unknownCommit(commit)
    return await branchPoints.find(commit, work)
  }

  async function pointOf(commit: Oid, begin: BeginWork): Promise<HistoryPoint | UnservedPoint> {
    return servedPoint(commit) ?? branchPoints.cached(commit) ?? (await branchPoints.find(commit, begin()))
  }

  /** The only served commit with the prefix; if there is none, the only commit of a tag or branch with the prefix. */
  async function commitOfPrefix(prefix: string, begin: BeginWork): Promise<Oid> {
    const served = chain.startingWith(prefix)
    const [commit, another] =
      served.length > 0 ? served : (await tips(begin()?.signal)).filter(tip => tip.startsWith(prefix))
    if (commit === undefined) {
      throw new ProblemError(
        'not-found',
        `No commit begins with ${prefix} in the served history, at a tag, or at the end of another branch. Name other commits with all 40 digits.`,
      )
    }
    if (another !== undefined) {
      throw malformedRequest(`More than one commit begins with ${prefix}: write more of its digits.`)
    }
    return commit
  }

  async function pointOfTime(time: Instant): Promise<HistoryPoint> {
    const commit = await chain.lastCommitUntil(time)
    if (commit !== undefined) return { commit }
    // No record had been stored by that time, but the repository may have existed already.
    const first = chain.first()
    if (first === undefined) throw new ProblemError('not-found', 'There is no history yet.')
    const { recordedAt, committedAt } = await history.commit(first)
    const begin = recordedAt ?? committedAt
    if (begin <= time) return { commit: first }
    throw new ProblemError(
      'not-found',
      `There was nothing yet at ${formatInstant(time)}: the served history begins at ${formatInstant(begin)}.`,
    )
  }

  return {
    async find(name, begin) {
      if (name.by === 'commit') return await pointOfFullName(name.commit, begin)
      if (name.by === 'time') return await pointOfTime(name.time)
      const { text, prefix, time } = name
      const named = await findTagOrBranch(gitDir, objects, text)
      if (named) {
        // The ref of the served branch may be ahead of the served commit: the server still reads the new commits.
        const commit = (named.ref === branch ? head() : undefined) ?? named.commit
        return await pointOf(commit, begin)
      }
      if (prefix !== undefined) return await pointOf(await commitOfPrefix(prefix, begin), begin)
      if (time !== undefined) return await pointOfTime(time)
      throw new ProblemError(
        'not-found',
        `The repository has no tag or branch "${truncate(text)}". The parameter at can be ${pointSyntaxHint}.`,
      )
    },
  }
}

function unknownCommit(commit: Oid): ProblemError {
  return new ProblemError(
    'not-found',
    `There is no commit ${commit} in the served history, or on another branch or tag.`,
  )
}

/** The first commit of the served history. @throws ProblemError `unavailable` while the history is being read */
export function firstCommit(chain: Pick<FirstParentChain, 'first'>): Oid {
  const first = chain.first()
  if (first !== undefined) return first
  throw new ProblemError('unavailable', 'The history is still being read. Try again.', { retryAfter: 2 })
}

/** Limit of the commits of an unserved branch that are read to find where it left the served history. */
const maxBranchCommits = 10_000
/** Number of commits in each cache. */
const maxCached = 1000

/**
 * Finds where branches left the served history.
 * @returns `cached`: the point of a commit, if it is in the cache; `find`: the same, reading commits if necessary
 */
function openBranchPoints(chain: Pick<FirstParentChain, 'positionOf'>, history: Pick<History, 'commit'>) {
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

interface ReachabilityOptions {
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
function openReachability({ chain, history, head, tips }: ReachabilityOptions) {
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
