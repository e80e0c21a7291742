import { openLinkedQueue } from '../../core/data-structures/linked-queue.js'

/** Estimates how long a request waits in a queue. */
export interface WaitEstimator {
  /** Adds a request to the queue. @returns function that removes the request; call it when the request is done */
  enqueue(): () => void
  /** Milliseconds that a new request would wait; 0 if unknown. */
  expectedWaitMs(): number
  /** Milliseconds that the oldest request has waited; 0 for an empty queue. */
  oldestWaitMs(): number
}

/** Least length of the queue to measure at: requests of a shorter queue are done as fast as they arrive. */
const minLength = 16
/** Milliseconds of one measurement. */
const interval = 1000
/** Number of measurements in the average: hundreds of updates are done at a time, and then none for some seconds. */
const maxIntervals = 10
/** Milliseconds for which the queue must be shorter than {@link minLength} until the measured rate is discarded. */
const expiry = 10_000

/**
 * Little's law, L = λW: the wait is the queue length ÷ the throughput.
 * @param clock the time in milliseconds
 * @see https://doi.org/10.1287/opre.9.3.383
 */
export function openWaitEstimator(clock = () => performance.now()): WaitEstimator {
  const queue = openLinkedQueue<{ readonly since: number }>()
  /** Requests done in this measurement. */
  let done = 0
  /** Requests a millisecond; undefined: not known. */
  let rate: number | undefined
  let intervals = 0
  /** Start of this measurement; undefined: the queue is too short. */
  let since: number | undefined
  let idleSince = 0

  function measure(): void {
    const now = clock()
    if (since === undefined || now - since < interval) return
    const latest = done / (now - since)
    intervals = Math.min(intervals + 1, maxIntervals)
    rate = rate === undefined ? latest : rate + (latest - rate) / intervals
    done = 0
    since = now
  }

  function begin(now: number): void {
    since = now
    done = 0
    if (now - idleSince < expiry) return
    rate = undefined
    intervals = 0
  }

  return {
    enqueue() {
      const entry = { since: clock() }
      const leave = queue.join(entry)
      if (queue.size === minLength) begin(entry.since)
      return () => {
        leave()
        done += 1
        measure()
        if (queue.size >= minLength || since === undefined) return
        idleSince = clock()
        since = undefined
      }
    },
    expectedWaitMs() {
      measure()
      return rate === undefined || since === undefined ? 0 : queue.size / rate
    },
    oldestWaitMs() {
      const { first } = queue
      return first ? clock() - first.since : 0
    },
  }
}
