import type { Catalog } from '../../catalog/catalog.js'
import type { History } from '../../store/commit-history/first-parent-history.js'

/** Limit in milliseconds from the time of an update, which is set before its flush, until the update is visible. */
const maxFlushMilliseconds = 10_000

/**
 * The time up to which all changes are visible, in milliseconds: a change that becomes visible later has a later time.
 * Harvesters continue from this time.
 */
export type ServedUntil = () => Promise<number>

export interface ServedUntilOptions {
  readonly catalog: Pick<Catalog, 'head'>
  readonly history: Pick<History, 'commit'>
  /**
   * For a server whose commits come from another repository: the time in milliseconds up to which every commit of that
   * repository is here. Returns undefined before the first fetch.
   */
  readonly completeUntil: (() => number | undefined) | undefined
}

export function openServedUntil({ catalog, history, completeUntil }: ServedUntilOptions): ServedUntil {
  /** The time of the served commit, in milliseconds. Commits that are not fetched yet are later. */
  async function timeOfHead(): Promise<number> {
    const head = catalog.head()
    if (head === undefined) return 0
    const { recordedAt, committedAt } = await history.commit(head)
    return recordedAt ?? committedAt
  }

  return async () => {
    const now = Date.now()
    const until = completeUntil ? Math.min(now, completeUntil() ?? (await timeOfHead())) : now
    return Math.max(0, until - maxFlushMilliseconds)
  }
}
