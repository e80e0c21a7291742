import { setPriority } from 'node:os'

/** @see setpriority(2) */
const lowPriority = 10

/** Lets requests take precedence over this thread. On Linux alone a thread has a priority of its own. */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(lowPriority)
}
