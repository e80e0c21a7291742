import { constants, getPriority, setPriority } from 'node:os'

/**
 * Raises the niceness of this thread, on Linux, or of this process, on other systems. It counts from the niceness that the
 * server was started with, because only privileged users may lower one.
 * @param by 0 to 19
 * @see setpriority(2)
 */
export function raiseNiceness(by: number): void {
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + by))
}
