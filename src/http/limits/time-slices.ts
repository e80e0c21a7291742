import { openLinkedQueue } from '../../core/data-structures/linked-queue.js'
import { oncePerIteration } from '../../core/scheduling/event-loop-pauses.js'

/** Runs the long work of many requests in short pieces, and lets the event loop run between them. */
export interface TimeSlices {
  /** Runs one piece of work: at once if this iteration of the event loop has time left, else in a later one, in order. */
  run<T>(work: () => T | Promise<T>): Promise<T>
}

/**
 * The plain {@link TimeSlices}: runs each piece at once. Time slices make the server fair, not faster: while eight
 * clients read pages of 500 records, they shorten a GET of another client from 190 ms to 70 ms.
 * @see docs/decisions/011-fast-paths.md
 */
export const noTimeSlices: TimeSlices = { run: async work => await work() }

/** Milliseconds of work in one iteration of the event loop after which no further piece starts in that iteration. */
const maxMilliseconds = 10

/** The pieces of all requests share one limit: a hundred lists block the event loop no longer than one. */
export function openTimeSlices(): TimeSlices {
  const waiting = openLinkedQueue<() => void>()
  let spent = 0
  const planIteration = oncePerIteration(() => {
    spent = 0
    while (waiting.size > 0 && spent < maxMilliseconds) waiting.take()?.()
    if (waiting.size > 0) planIteration()
  })

  function measured<T>(work: () => T): T {
    planIteration()
    const began = performance.now()
    try {
      return work()
    } finally {
      spent += performance.now() - began
    }
  }

  return {
    async run(work) {
      if (waiting.size === 0 && spent < maxMilliseconds) return await measured(work)
      return await new Promise((resolve, reject) => {
        waiting.join(() => {
          try {
            resolve(measured(work))
          } catch (error) {
            reject(error)
          }
        })
        planIteration()
      })
    },
  }
}
