import { Script } from 'node:vm'

/** Runs work within a time limit. */
export interface TimeLimit {
  /**
   * @param isFirst the work loads code first, and may take {@link loadingTime} longer
   * @param isRepeated the work was stopped before without having had the processor, and may take {@link busyFactor} times as long
   *   times the limit
   * @throws TimeLimitExceeded
   */
  run<T>(work: () => T, isFirst: boolean, isRepeated: boolean): T
}

/** Work was stopped at an arbitrary point, so that the state it was changing is unknown. */
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded'
  /** @param hadProcessor the work had the processor for most of the time */
  constructor(readonly hadProcessor: boolean) {
    super('The time limit was exceeded.')
  }
}

/** Factor of the limit for repeated work on a busy machine. */
export const busyFactor = 3
/** Most milliseconds for loading the code of a schema language. */
export const loadingTime = 400
/** Share of the limit for which work must have had the processor to be late. */
const minProcessorShare = 0.8

/**
 * On a busy machine work takes several times as long: repeat work that was stopped without having had the processor.
 * JSON.parse and the compiler of V8 cannot be stopped.
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
        return script.runInThisContext({ timeout: Math.ceil(isRepeated ? limit * busyFactor : limit) }) as T
      } catch (error) {
        if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        const { user, system } = process.cpuUsage(before)
        throw new TimeLimitExceeded(isRepeated || (user + system) / 1000 > minProcessorShare * limit)
      }
    },
  }
}
