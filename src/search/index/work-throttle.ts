import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import type { IndexState } from './index-thread-jobs.js'

/** What is left to do. `rebuild`: work that no client waits for. The others: how many revisions are to be indexed. */
export type Backlog = 'rebuild' | 'short' | 'medium' | 'long'

/** Limits of the revisions of a short backlog (about half a second of updates) and a medium one (a second of work). */
const maxRevisions = { short: 100, medium: 1000 }

/** The backlog of an index after a part of the work. */
export function backlogOf(
  state: Pick<IndexState, 'complete' | 'last' | 'through' | 'more'> | undefined,
): Backlog {
  if (!state?.complete) return 'rebuild'
  const pending = state.last - state.through
  // Documents are indexed again, because their schema declares other fields.
  if (pending === 0 && state.more) return 'rebuild'
  if (pending <= maxRevisions.short) return 'short'
  return pending < maxRevisions.medium ? 'medium' : 'long'
}

/** Pairs: if the event loop was busy for more than this share of the time, the rest is this multiple of the work. */
const usualRests = [
  [0.5, 4],
  [0.3, 1],
] as const
/** The same for work that clients wait for too long: it rests only if the event loop has no time left. */
const lateRests = [[0.9, 4]] as const

/**
 * The rests of each backlog, with their limit in milliseconds. Clients wait until they find what has changed, so the
 * limits keep a short backlog short. A long backlog shrinks at up to 300 updates a second; at more, updates go first.
 */
const paces = {
  rebuild: { rests: usualRests, max: 1000 },
  short: { rests: usualRests, max: 150 },
  medium: { rests: lateRests, max: 150 },
  long: { rests: lateRests, max: 400 },
} as const

/** Rests between parts of the work of a thread, so that a busy event loop gets the processor. */
export function openWorkThrottle() {
  let before = performance.eventLoopUtilization()
  return {
    /**
     * Rests after a part of the work; the longer, the busier the event loop is.
     * @param worked milliseconds of the last part
     */
    async rest(worked: number, backlog: Backlog, signal: AbortSignal): Promise<void> {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      const { rests, max } = paces[backlog]
      const [, factor] = rests.find(([share]) => utilization > share) ?? [0, 0]
      if (factor === 0 || signal.aborted) return
      // The promise is rejected only if the signal is aborted, which ends the rest.
      await setTimeout(Math.min(worked * factor, max), undefined, { signal }).catch(() => undefined)
    },
  }
}
