import { openLine } from '../../core/data-structures/linked-queue.js'

/** How fast is done what waits for its turn, as far as that can be seen. */
export interface WaitEstimator {
  /** @returns says that it is done */
  enqueue(): () => void
  /** Milliseconds one that came now would wait for; 0 where that is not known. */
  expectedWaitMs(): number
  /** Milliseconds the one that came first has been there for; 0 where there is none. */
  oldestWaitMs(): number
}

/** As many that are there at once say how fast they are done; fewer say only how often somebody comes. */
const enough = 16
/** Milliseconds of that in which is counted. */
const interval = 1000
/** So many intervals are remembered: updates are done hundreds at a time, and some seconds may go by between. */
const remembered = 10
/** Milliseconds with fewer after which everything may be otherwise. */
const untilForgotten = 10_000

/** Little's law, L = λW. @see https://doi.org/10.1287/opre.9.3.383 */
export function openWaitEstimator(): WaitEstimator {
  /** When each of them came, the first one first. */
  const there = openLine<{ readonly since: number }>()
  let done = 0
  /** A millisecond; undefined: not known. */
  let rate: number | undefined
  /** Intervals it is made of. */
  let intervals = 0
  /** When counting began, where it has. */
  let since: number | undefined
  let idleSince = 0

  function look(): void {
    const now = performance.now()
    if (since === undefined || now - since < interval) return
    const latest = done / (now - since)
    intervals = Math.min(intervals + 1, remembered)
    rate = rate === undefined ? latest : rate + (latest - rate) / intervals
    done = 0
    since = now
  }

  function begin(now: number): void {
    since = now
    done = 0
    if (now - idleSince < untilForgotten) return
    rate = undefined
    intervals = 0
  }

  return {
    enqueue() {
      const one = { since: performance.now() }
      const leave = there.join(one)
      if (there.size === enough) begin(one.since)
      return () => {
        leave()
        done += 1
        look()
        if (there.size >= enough || since === undefined) return
        idleSince = performance.now()
        since = undefined
      }
    },
    expectedWaitMs() {
      look()
      return rate === undefined || since === undefined ? 0 : there.size / rate
    },
    oldestWaitMs() {
      const { first } = there
      return first ? performance.now() - first.since : 0
    },
  }
}
