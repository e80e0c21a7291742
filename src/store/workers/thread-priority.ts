import { raiseNiceness } from '../../core/scheduling/niceness.js'

/** Niceness of threads in the background. It is higher than that of searches, so that searches take precedence, too. */
const backgroundNiceness = 15

/** Lets requests and searches take precedence over this thread. Only on Linux does a thread have its own niceness. */
export function lowerPriority(): void {
  if (process.platform === 'linux') raiseNiceness(backgroundNiceness)
}
