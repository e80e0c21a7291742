import { constants, getPriority, setPriority } from 'node:os'

/**
 * Raises the niceness of this thread, on Linux, or of this process, on other systems: the priority becomes lower. `by`
 * is added to the present niceness, because only privileged users may lower a niceness.
 * @param by 0 to 19
 * @see setpriority(2)
 */
export function raiseNiceness(by: number): void {
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + by))
}
