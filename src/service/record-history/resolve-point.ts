import { LRUCache } from 'lru-cache'
import type { FirstParentChain } from '../../catalog/revision-history/first-parent-chain.js'
import {
  type HistoryPoint,
  type PointExpression,
  pointSyntaxHint,
  type UnservedPoint,
} from '../../core/history-point.js'
import { ProblemError } from '../../core/problem.js'
import type { BeginWork, ClientWork } from '../../core/scheduling/client-work.js'
import { formatInstant, type Instant, type Oid, truncate } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { findTagOrBranch, listTagAndBranchCommits } from '../../store/refs/tags-and-branches.js'

/** Finds the points of history that requests name. */
export interface PointResolver {
  /**
   * A full name is that of a commit. Any other name is, in the order git looks: a tag's, a branch's, the beginning of
   * that of a commit; then a time.
   * @param begin asked before anything but the served history is searched
   * @throws ProblemError `not-found`; `malformed-request` for what is named, and is no point that can be read; what
   *   `begin` throws
   */
  find(name: PointExpression, begin: BeginWork): Promise<HistoryPoint | UnservedPoint>
}

export interface PointsOptions {
  readonly gitDir: string
  /** Full name of the served branch. */
  readonly branch: string
  readonly chain: FirstParentChain
  /** The commit that is served. */
  readonly head: () => Oid | undefined
  readonly objects: ObjectReader
  readonly history: History
}

/** Commits that are looked at for where a branch began. */
const longestBranch = 10_000
/** Commits whose base, or whose place below a tag or branch, is kept. */
const mostKnown = 1000

export function openPointResolver(options: PointsOptions): PointResolver {
  const { gitDir, branch, chain, head, objects, history } = options
  /** Where commits unserved of the served chain began. */
  const bases = new LRUCache<Oid, Oid>({ max: mostKnown })
  /** What led to a commit unserved: a served commit, or one of the others that there were. */
  const ways = new LRUCache<Oid, string>({ max: mostKnown })

  async function find(name: PointExpression, begin: BeginWork): Promise<HistoryPoint | UnservedPoint> {
    if (name.by === 'commit') {
      const point = onChain(name.commit)
      if (point) return point
      // That it is not there is found without a search.
      if (!(await objects.has(name.commit))) throw unknown(name.commit)
      const work = begin()
      return await unserved(await reachable(name.commit, work), work)
    }
    if (name.by === 'time') return await atTime(name.time)
    const { text, prefix, time } = name
    const named = await findTagOrBranch(gitDir, objects, text)
    if (named) {
      // The branch may be ahead of what could be served.
      const commit = (named.ref === branch ? head() : undefined) ?? named.commit
      return onChain(commit) ?? (await asideOf(commit, begin))
    }
    if (prefix !== undefined) {
      const commit = await abbreviated(prefix, begin)
      return onChain(commit) ?? (await asideOf(commit, begin))
    }
    if (time !== undefined) return await atTime(time)
    throw new ProblemError(
      'not-found',
      `The repository has no tag or branch "${truncate(text)}". The parameter at can be ${pointSyntaxHint}.`,
    )
  }

  function onChain(commit: Oid): HistoryPoint | undefined {
    return chain.positionOf(commit) === undefined ? undefined : { commit }
  }

  /**
   * Says that a tag or a branch leads to the commit: what none leads to any more was taken back, and only waits for
   * being cleared away.
   */
  async function reachable(commit: Oid, work: ClientWork | undefined): Promise<Oid> {
    const served = head()
    const tips = await listTagAndBranchCommits(gitDir, objects, work?.signal)
    const others = tips.filter(tip => chain.positionOf(tip) === undefined)
    const way = ways.get(commit)
    if (way !== undefined && (way === others.join() || chain.positionOf(way as Oid) !== undefined))
      return commit
    if (served !== undefined && (await history.reaches([served], commit, work?.signal))) {
      ways.set(commit, served)
      return commit
    }
    if (await history.reaches(others, commit, work?.signal)) {
      ways.set(commit, others.join())
      return commit
    }
    throw unknown(commit)
  }

  function knownUnserved(commit: Oid): UnservedPoint | undefined {
    const base = bases.get(commit)
    return base !== undefined && chain.positionOf(base) !== undefined ? { unserved: commit, base } : undefined
  }

  async function asideOf(commit: Oid, begin: BeginWork): Promise<UnservedPoint> {
    return knownUnserved(commit) ?? (await unserved(commit, begin()))
  }

  async function unserved(commit: Oid, work: ClientWork | undefined): Promise<UnservedPoint> {
    const known = knownUnserved(commit)
    if (known) return known
    let next: Oid | undefined = commit
    for (let count = 0; next !== undefined && count < longestBranch; count++) {
      work?.signal.throwIfAborted()
      if (chain.positionOf(next) !== undefined) {
        bases.set(commit, next)
        return { unserved: commit, base: next }
      }
      next = (await history.commit(next)).parents[0]
    }
    throw new ProblemError(
      'malformed-request',
      `The commit ${commit} cannot be read here: none of its last ${longestBranch} commits is one of the history that is served. Clone the repository to look at it.`,
    )
  }

  /** A commit that is served, or else one that a tag or a branch names. */
  async function abbreviated(prefix: string, begin: BeginWork): Promise<Oid> {
    const served = chain.startingWith(prefix)
    const named = async () => await listTagAndBranchCommits(gitDir, objects, begin()?.signal)
    const [commit, another] =
      served.length > 0 ? served : (await named()).filter(tip => tip.startsWith(prefix))
    if (commit === undefined) {
      throw new ProblemError(
        'not-found',
        `No commit begins with ${prefix} in the history that is served, nor at the end of another branch or at a tag. Other commits are named in full.`,
      )
    }
    if (another !== undefined) {
      throw new ProblemError(
        'malformed-request',
        `More than one commit begins with ${prefix}: write more of its digits.`,
      )
    }
    return commit
  }

  async function atTime(time: Instant): Promise<HistoryPoint> {
    const commit = await chain.lastCommitUntil(time)
    if (commit !== undefined) return { commit }
    // Before the first record there may have been a repository without any.
    const first = chain.first()
    if (first === undefined) throw new ProblemError('not-found', 'There is no history yet.')
    const { recordedAt, committedAt } = await history.commit(first)
    const begin = recordedAt ?? committedAt
    if (begin <= time) return { commit: first }
    throw new ProblemError(
      'not-found',
      `At ${formatInstant(time)} there was nothing yet: the history that is served begins at ${formatInstant(begin)}.`,
    )
  }

  return { find }
}

function unknown(commit: Oid): ProblemError {
  return new ProblemError(
    'not-found',
    `The history that is served has no commit ${commit}, nor has any other branch or tag.`,
  )
}
