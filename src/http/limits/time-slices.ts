import { openLine } from '../../core/data-structures/linked-queue.js'

/** Runs long work of many requests in short pieces, so that the event loop goes round between them. */
export interface Slices {
  /** Runs one piece of work: at once where this round of the event loop has time left for it, else in its turn. */
  take<T>(work: () => T | Promise<T>): Promise<T>
}

/** Milliseconds of pieces that are begun in one round of the event loop. */
const longest = 10

/** The pieces of all requests share one time: a hundred lists at once hold the event loop no longer than one. */
export function openSlices(): Slices {
  const waiting = openLine<() => void>()
  let spent = 0
  let isPlanned = false

  function plan(): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      spent = 0
      while (waiting.size > 0 && spent < longest) waiting.take()?.()
      if (waiting.size > 0) plan()
    })
  }

  function run<T>(work: () => T): T {
    plan()
    const began = performance.now()
    try {
      return work()
    } finally {
      spent += performance.now() - began
    }
  }

  return {
    async take(work) {
      if (waiting.size === 0 && spent < longest) return await run(work)
      return await new Promise((resolve, reject) => {
        waiting.join(() => {
          try {
            resolve(run(work))
          } catch (error) {
            reject(error)
          }
        })
        plan()
      })
    },
  }
}
