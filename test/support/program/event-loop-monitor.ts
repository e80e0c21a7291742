import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/* A server under test measures how long its event loop is held and writes that to a file. Tests read the file. */

/** Name of the environment variable with the path of this file. */
export const eventLoopVariable = 'EVENT_LOOP_FILE'

/** Limit of a hold of a server's event loop in milliseconds, for any request. */
export const longestHold = 250

/**
 * Limit of a hold in milliseconds for tests that measure once while other tests run. A client that can block the loop
 * without a limit does so for seconds. `npm run hostile` measures {@link longestHold} while nothing else runs.
 */
export const longestHoldOfTest = 2 * longestHold

/** Milliseconds that {@link fixedWork} takes on an idle machine with two processors. */
const usualWork = 150
/** Limit of the factor by which a slow machine raises the limit of a hold. */
const maxTimes = 4

/**
 * Returns the limit of a hold on this machine, in milliseconds. If a hold exceeds `limit`, the limit grows with the
 * time that fixed work takes now. The memory of a virtual machine on a busy host can be ten times slower, and the guest
 * counts that as its own work.
 */
export function holdLimit(held: number, limit: number): number {
  if (held <= limit) return limit
  const [, , median = 0] = Array.from({ length: 5 }, fixedWork).sort((a, b) => a - b)
  return Math.round(limit * Math.min(maxTimes, Math.max(1, median / usualWork)))
}

/** Allocates memory, makes objects and parses JSON. @returns milliseconds */
function fixedWork(): number {
  const begun = performance.now()
  const bytes = Buffer.alloc(32 * 2 ** 20, 1)
  const objects = Array.from({ length: 300_000 }, (_, index) => ({
    at: index,
    text: String(index + (bytes[index] ?? 0)),
  }))
  JSON.parse(JSON.stringify(objects.slice(0, 30_000)))
  return performance.now() - begun
}

/** A time in which one task held the event loop. */
export interface Hold {
  /** End of the hold, in milliseconds since 1970. */
  readonly end: number
  /** Length in milliseconds, without the time in which the thread waited for a processor. */
  readonly milliseconds: number
}

/** Milliseconds between two ticks. */
const interval = 10
/** Length in milliseconds below which holds are not written. */
const shortest = 25

let ofTheTest = 0

/** Does work of the test in the process of the server. Holds do not include its time. */
export function outsideHolds(work: () => void): void {
  const began = performance.now()
  work()
  ofTheTest += performance.now() - began
}

/**
 * Writes each hold of the event loop of this process to a file, one JSON text per line.
 *
 * A busy machine delays a thread without its fault, so the run delay of the thread is subtracted. While the event loop
 * is idle it is not held, even if it wakes up late.
 * @returns a function that stops the recording
 * @see https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
 */
export function recordHolds(file: string): () => void {
  let last = performance.now()
  let delay = runDelay()
  let loop = performance.eventLoopUtilization()
  const ticks = setInterval(() => {
    const now = performance.now()
    const delayNow = runDelay()
    const loopNow = performance.eventLoopUtilization()
    const held = Math.min(now - last - interval, loopNow.active - loop.active)
    const milliseconds = held - (delayNow - delay) - ofTheTest
    last = now
    ofTheTest = 0
    delay = delayNow
    loop = loopNow
    if (milliseconds >= shortest)
      appendFileSync(file, `${JSON.stringify({ end: Date.now(), milliseconds } satisfies Hold)}\n`)
  }, interval).unref()
  return () => clearInterval(ticks)
}

const schedulerFile = `/proc/self/task/${process.pid}/schedstat`
const hasScheduler = existsSync(schedulerFile)

/** Milliseconds that the main thread has waited for a processor; 0 if the system does not report that. */
function runDelay(): number {
  if (!hasScheduler) return 0
  return Number(readFileSync(schedulerFile, 'latin1').split(' ')[1]) / 1e6
}

/**
 * Returns the longest hold that ended at `since` or later, in milliseconds; 0 if there is none.
 * @param since milliseconds since 1970
 */
export function longestHoldSince(file: string, since: number): number {
  if (!existsSync(file)) return 0
  const holds = readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Hold)
  return Math.max(0, ...holds.filter(({ end }) => end >= since).map(({ milliseconds }) => milliseconds))
}
