import { raiseNiceness } from '../../core/scheduling/niceness.js'

/** More than that of searches, so that these take precedence, too. */
const backgroundNiceness = 15

/** Lets requests and searches take precedence over this thread. On Linux alone a thread has a niceness of its own. */
export function lowerPriority(): void {
  if (process.platform === 'linux') raiseNiceness(backgroundNiceness)
}
