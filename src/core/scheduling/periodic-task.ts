import { setTimeout as sleep } from 'node:timers/promises'
import { errorText } from '../problem.js'

/**
 * Runs a step repeatedly until the task is closed.
 * @param interval milliseconds between the end of a step and the next one
 * @param step its signal aborts when the task is closed
 * @param onFailure gets the failure of a step, as a sentence
 */
export function startPeriodicTask(
  interval: number,
  step: (signal: AbortSignal) => Promise<void>,
  onFailure: (detail: string) => void,
): { close(): Promise<void> } {
  const closing = new AbortController()
  const { signal } = closing

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await step(signal).catch((thrown: unknown) => {
        if (!signal.aborted) onFailure(errorText(thrown))
      })
      // Closing ends the wait.
      await sleep(interval, undefined, { signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    async close() {
      closing.abort()
      await running
    },
  }
}
