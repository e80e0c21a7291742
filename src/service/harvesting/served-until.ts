import type { Catalog } from '../../catalog/catalog.js'
import type { History } from '../../store/commit-history/first-parent-history.js'

/** Milliseconds after which an update is visible at the latest: it has its time before the flush that stores it. */
const maxFlushMilliseconds = 10_000

/**
 * The time until which changes are served, in milliseconds: a change that becomes visible later has a later time.
 * Harvesters continue from there.
 */
export type ServedUntil = () => Promise<number>

export interface ServedUntilOptions {
  readonly catalog: Pick<Catalog, 'head'>
  readonly history: Pick<History, 'commit'>
  /**
   * For a server whose commits come from another repository: every commit that is there at this time is here. It
   * returns undefined before the first fetch.
   */
  readonly completeUntil: (() => number | undefined) | undefined
}

export function openServedUntil({ catalog, history, completeUntil }: ServedUntilOptions): ServedUntil {
  /** What is not fetched yet is later than the served commit. */
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
