import { Script } from 'node:vm'

/** Runs work within a time limit. */
export interface TimeLimit {
  /**
   * @param isFirst the work loads code that later work finds loaded: it may take {@link loadingTime} longer
   * @param isRepeated the work was stopped before without having had the processor: it may take {@link longestWait} times
   *   the limit
   * @throws TimeLimitExceeded
   */
  run<T>(work: () => T, isFirst: boolean, isRepeated: boolean): T
}

/** Work was stopped in the middle: what it was about to change is in an unknown state. */
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded'
  /** @param hadProcessor the work had the processor for most of the time */
  constructor(readonly hadProcessor: boolean) {
    super('The time limit was exceeded.')
  }
}

/** Times the limit that work may take on a busy machine. */
export const longestWait = 3
/** Milliseconds that loading the code for a schema language may take. */
export const loadingTime = 400
/** Share of the limit that counts as having had the processor. */
const mostOfTheTime = 0.8

/**
 * Beside busy processes the same work takes several times as long: work that was stopped without having had the processor
 * should be repeated. JSON.parse and the compiler of V8 cannot be stopped.
 * @param milliseconds the limit
 * @see https://nodejs.org/api/vm.html#scriptruninthiscontextoptions
 */
export function openTimeLimit(milliseconds: number): TimeLimit {
  let current: () => unknown = () => undefined
  const name = '__gitMetastoreWork'
  Object.defineProperty(globalThis, name, { get: () => current })
  const script = new Script(`${name}()`)

  return {
    run<T>(work: () => T, isFirst: boolean, isRepeated: boolean): T {
      const limit = milliseconds + (isFirst ? loadingTime : 0)
      const before = process.cpuUsage()
      current = work
      try {
        return script.runInThisContext({ timeout: Math.ceil(isRepeated ? limit * longestWait : limit) }) as T
      } catch (error) {
        if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        const { user, system } = process.cpuUsage(before)
        throw new TimeLimitExceeded(isRepeated || (user + system) / 1000 > mostOfTheTime * limit)
      }
    },
  }
}
