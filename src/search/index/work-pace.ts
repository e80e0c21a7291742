import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'

/** Rests between parts of work in a thread, so that the event loop gets the processor while it is busy. */
export interface WorkPace {
  /** @param worked milliseconds of the last part */
  rest(worked: number, backlog: Backlog, signal: AbortSignal): Promise<void>
}

/** What is left to do. */
export interface Backlog {
  /** The work is behind what clients ask for: it rests only if the event loop has no time left. */
  readonly isLate: boolean
  /** `none`: nothing that has changed, as in a new index, and in documents that are indexed again. `short`: a second of work. */
  readonly size: keyof typeof maxRests
}

/** Shares of time in which the event loop was busy, each with the rest as a multiple of the work. */
const rests = [
  [0.5, 4],
  [0.3, 1],
] as const
const restsIfLate = [[0.9, 4]] as const
/**
 * Limits of a rest in milliseconds. Clients wait until they find what has changed, so a short backlog stays short. A long one
 * gets shorter with up to 300 updates a second; with more, the updates take precedence.
 */
const maxRests = { none: 1000, long: 400, short: 150 } as const

export function openWorkPace(): WorkPace {
  let before = performance.eventLoopUtilization()
  return {
    async rest(worked, { isLate, size }, signal) {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      const [, factor] = (isLate ? restsIfLate : rests).find(([share]) => utilization > share) ?? [0, 0]
      if (factor === 0 || signal.aborted) return
      // Only the signal rejects, which ends the rest.
      await setTimeout(Math.min(worked * factor, maxRests[size]), undefined, {
        signal,
      }).catch(() => undefined)
    },
  }
}
