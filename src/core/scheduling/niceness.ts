import { existsSync, readdirSync } from 'node:fs'
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

/** Raises the niceness of all threads of this process, among them those that V8 has started for garbage collection. */
export function raiseNicenessOfProcess(by: number): void {
  raiseNiceness(by)
  if (!existsSync('/proc/self/task')) return
  for (const thread of readdirSync('/proc/self/task').map(Number)) {
    try {
      setPriority(thread, getPriority())
    } catch (error) {
      // The thread has just ended.
      if ((error as { readonly info?: { readonly code?: string } }).info?.code !== 'ESRCH') throw error
    }
  }
}
