import { Script } from 'node:vm'

/** Runs work within a time limit. */
export interface TimeLimit {
  /**
   * Runs the work and returns its result.
   * @param isFirst whether the work loads code first: it may take {@link loadingTime} longer
   * @param stops how often the work was stopped before because other processes had the processor: it may take
   *   {@link busyFactor} times the limit
   * @throws TimeLimitExceeded
   */
  run<T>(work: () => T, isFirst: boolean, stops: number): T
}

/** Work was stopped at an arbitrary point: what it was changing may be incomplete. */
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded'
  /** @param hadProcessor whether the work had the processor for most of the time */
  constructor(readonly hadProcessor: boolean) {
    super('The time limit was exceeded.')
  }
}

/** Time limit in milliseconds up to which each stop on a busy machine makes the next limit longer. */
const maxBusyLimit = 3000

/**
 * Factor by which a time limit of `milliseconds` is longer for work that was stopped `stops` times on a busy machine. It
 * is at most {@link busyFactorLimit}.
 */
export function busyFactor(milliseconds: number, stops: number): number {
  return Math.min(3 ** stops, busyFactorLimit(milliseconds))
}

function busyFactorLimit(milliseconds: number): number {
  return Math.max(3, maxBusyLimit / milliseconds)
}

/** Milliseconds by which the time limit is longer if the code for a schema language is loaded first. */
export const loadingTime = 400
/** If work had the processor for less than this share of the time limit, the machine was busy. */
const minProcessorShare = 0.8

/**
 * Opens a time limit. On a busy machine, work takes several times as long: the caller should repeat work that did not
 * have the processor. JSON.parse and the compiler of V8 cannot be stopped.
 * @param milliseconds the limit
 * @see https://nodejs.org/api/vm.html#scriptruninthiscontextoptions
 */
export function openTimeLimit(milliseconds: number): TimeLimit {
  let current: () => unknown = () => undefined
  const name = '__gitMetastoreWork'
  Object.defineProperty(globalThis, name, { get: () => current })
  const script = new Script(`${name}()`)

  return {
    run<T>(work: () => T, isFirst: boolean, stops: number): T {
      const limit = milliseconds + (isFirst ? loadingTime : 0)
      const factor = busyFactor(milliseconds, stops)
      const before = process.cpuUsage()
      current = work
      try {
        return script.runInThisContext({ timeout: Math.ceil(limit * factor) }) as T
      } catch (error) {
        if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        const { user, system } = process.cpuUsage(before)
        const isLast = factor >= busyFactorLimit(milliseconds)
        throw new TimeLimitExceeded(isLast || (user + system) / 1000 > minProcessorShare * limit)
      }
    },
  }
}
