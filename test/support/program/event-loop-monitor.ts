import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/*
 * A server watches its own event loop and writes down when it was held; tests read what it wrote.
 */

/** Name of the environment variable with the file that a server under test writes to. */
export const eventLoopVariable = 'EVENT_LOOP_FILE'

/** The event loop of a server may be held at once for so many milliseconds, whatever a client sends. */
export const longestHold = 250

/**
 * Milliseconds of a hold at which a test fails that measures once, beside other tests. What a client can block without a
 * limit is held for seconds; `npm run hostile` measures {@link longestHold}, with nothing beside it.
 */
export const longestHoldOfTest = 2 * longestHold

/** Milliseconds that {@link fixedWork} takes on a quiet machine with two processors. */
const usualWork = 150
/** No machine gets a limit of more than so many times the usual one. */
const maxTimes = 4

/**
 * The limit of a hold on this machine, in milliseconds. Of a longer one than `limit`, it is more in proportion to the time
 * that fixed work takes now: memory of a virtual machine whose host is busy can take ten times as long, and the guest counts
 * that as its own work.
 */
export function holdLimit(held: number, limit: number): number {
  if (held <= limit) return limit
  const [, , median = 0] = Array.from({ length: 5 }, fixedWork).sort((a, b) => a - b)
  return Math.round(limit * Math.min(maxTimes, Math.max(1, median / usualWork)))
}

/** Takes memory, makes objects and parses JSON. @returns milliseconds */
function fixedWork(): number {
  const begun = performance.now()
  const bytes = Buffer.alloc(32 * 2 ** 20, 1)
  const objects = Array.from({ length: 300_000 }, (_, at) => ({ at, text: String(at + (bytes[at] ?? 0)) }))
  JSON.parse(JSON.stringify(objects.slice(0, 30_000)))
  return performance.now() - begun
}

/** One time in which the event loop did nothing else. */
export interface Hold {
  /** Its end, in milliseconds since 1970. */
  readonly end: number
  /** Its length in milliseconds, without the time in which the thread was ready to run and other processes ran. */
  readonly milliseconds: number
}

/** Milliseconds between two ticks. */
const interval = 10
/** Shorter holds are not written down. */
const shortest = 25

let ofTheTest = 0

/** Does work of the test in the server's process; its time counts in no hold. */
export function outsideHolds(work: () => void): void {
  const began = performance.now()
  work()
  ofTheTest += performance.now() - began
}

/**
 * Writes each hold of this process's event loop to the file, a JSON text a line.
 *
 * A busy machine delays a thread that does nothing wrong: the scheduler's run delay of the thread is subtracted, and time in
 * which the event loop waited for something to do is no hold, however late it is woken.
 * @returns the function that ends it
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

/** Milliseconds that the main thread was ready to run and did not; 0 on a system that does not tell. */
function runDelay(): number {
  if (!hasScheduler) return 0
  return Number(readFileSync(schedulerFile, 'latin1').split(' ')[1]) / 1e6
}

/** The longest hold that ended at `since` or later, in milliseconds; 0 for none. @param since milliseconds since 1970 */
export function longestHoldSince(file: string, since: number): number {
  if (!existsSync(file)) return 0
  const holds = readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Hold)
  return Math.max(0, ...holds.filter(({ end }) => end >= since).map(({ milliseconds }) => milliseconds))
}
