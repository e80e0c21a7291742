import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import {
  type HeadChangeNotifier,
  openHeadChangeNotifier,
} from '../../../catalog/follow/head-change-notifier.js'
import type { IndexState } from './index-thread-jobs.js'

interface Steps {
  /** Prepares the work, once. @returns whether there is work to do before the next change */
  prepare(): Promise<boolean>
  /** Does a part of the work. @returns whether work may be left */
  step(): Promise<boolean>
  /** Changes of the catalog, after which there is work. */
  readonly headChanges: HeadChangeNotifier
  /** Whether a caller waits for the work, which then does not rest. */
  isUrgent(): boolean
  backlog(): Backlog
  /** Called after a step that failed. The step is repeated later. */
  onFailure(thrown: unknown): void
}

/**
 * Milliseconds before the first step, unless {@link repeatSteps} is woken: a server that starts has other work first,
 * and a server that runs for a moment only has no need of the step.
 */
const firstStepDelay = 1000
/**
 * Milliseconds in which changes are gathered before a step. Each step is a transaction: the more documents it has, the
 * less processor time each of them takes, and the fewer segments of FTS5 searches have to read. Each transaction also
 * empties the page cache of the processes that search.
 */
const gatheringTime = 500
/** Milliseconds before a step that failed is repeated; doubled with each failure. */
const firstDelay = 250
const maxDelay = 30_000
/** Milliseconds of a wait that ends only when {@link repeatSteps} is woken or closed: the longest time of a timer. */
const maxWait = 2 ** 31 - 1

/** Repeats a step while there is work, and after each change of the catalog. */
export function repeatSteps({ prepare, step, headChanges, isUrgent, backlog, onFailure }: Steps) {
  const ending = new AbortController()
  const { signal } = ending
  const woken = openHeadChangeNotifier()
  const called = openHeadChangeNotifier()

  /** Waits until the first step is due. */
  async function begin(): Promise<void> {
    const [calls, changes] = [called.count, woken.count]
    let isWork = true
    try {
      isWork = await prepare()
    } catch (thrown) {
      onFailure(thrown)
    }
    if (isWork) await called.next(calls, firstStepDelay, signal)
    else await woken.next(changes, maxWait, signal)
  }

  async function run(): Promise<void> {
    const throttle = openWorkThrottle()
    let failures = 0
    await begin()
    while (!signal.aborted) {
      const calls = woken.count
      try {
        const start = performance.now()
        const more = await step()
        failures = 0
        if (!isUrgent()) await throttle.rest(performance.now() - start, backlog(), signal)
        if (more) continue
        await woken.next(calls, maxWait, signal)
        if (!isUrgent()) await called.next(called.count, gatheringTime, signal)
      } catch (thrown) {
        if (signal.aborted) return
        onFailure(thrown)
        await woken.next(calls, Math.min(firstDelay * 2 ** failures++, maxDelay), signal)
      }
    }
  }

  async function listen(): Promise<void> {
    for (let seen = headChanges.count; !signal.aborted; seen = headChanges.count) {
      if ((await headChanges.next(seen, maxWait, signal)) === 'ended') return
      woken.notify()
    }
  }

  const working = Promise.all([run(), listen()])

  return {
    /** Starts the next step now. */
    wake(): void {
      called.notify()
      woken.notify()
    },
    async close(): Promise<void> {
      ending.abort()
      called.close()
      woken.close()
      await working
    },
  }
}

/** What is left to do. `rebuild`: work that no client waits for. The others: how many revisions are to be indexed. */
type Backlog = 'rebuild' | 'short' | 'medium' | 'long'

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
