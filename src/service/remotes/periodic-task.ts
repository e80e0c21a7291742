import { setTimeout as sleep } from 'node:timers/promises'
import { ProblemError } from '../../core/problem.js'

/**
 * Does something again and again until it is closed, one time after the other.
 * @param interval milliseconds between two times
 * @param step is told when it is to end early
 * @param failed is told why a time failed, as a sentence
 */
export function startPeriodicTask(
  interval: number,
  step: (signal: AbortSignal) => Promise<void>,
  failed: (detail: string) => void,
): { close(): Promise<void> } {
  const closing = new AbortController()
  const { signal } = closing

  async function goOn(): Promise<void> {
    while (!signal.aborted) {
      await step(signal).catch((thrown: unknown) => {
        if (!signal.aborted) failed(errorText(thrown))
      })
      // Ended early at the end.
      await sleep(interval, undefined, { signal }).catch(() => undefined)
    }
  }

  const going = goOn()
  return {
    async close() {
      closing.abort()
      await going
    },
  }
}

/** What failed, for those who run the service. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof ProblemError) return thrown.message
  if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`
  return String(thrown)
}
