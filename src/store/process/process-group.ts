import type { ChildProcess } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { errorCode } from '../file-system/durable-files.js'

/** Milliseconds a group is left to clear up. */
const longestEnd = 2000

/** How a child has to be started to lead a group: it and what it starts can then be ended together. */
export const asGroupLeader = { detached: process.platform !== 'win32' }

/**
 * Ends a child that was started {@link asGroupLeader}, and all it has started, once a signal says so. What does not end soon is
 * killed. Listens until the child and all that writes where it writes have ended.
 */
export function killOnAbort(child: ChildProcess, signal: AbortSignal): void {
  let insisting: NodeJS.Timeout | undefined
  // Until `close`, as what it has started may go on without it.
  const kill = (by: NodeJS.Signals) => {
    if (child.pid === undefined) return
    if (process.platform === 'win32') child.kill(by)
    else killGroup(child.pid, by)
  }
  const end = () => {
    kill('SIGTERM')
    insisting ??= setTimeout(() => kill('SIGKILL'), longestEnd)
  }
  signal.addEventListener('abort', end)
  child.once('close', () => {
    clearTimeout(insisting)
    signal.removeEventListener('abort', end)
  })
  if (signal.aborted) end()
}

/** Sends a signal to all of a group that are left. */
export function killGroup(leader: number, by: NodeJS.Signals): void {
  try {
    process.kill(-leader, by)
  } catch (error) {
    // No process is left (ESRCH); some systems answer EPERM where only zombies are left.
    if (!['ESRCH', 'EPERM'].includes(errorCode(error) ?? '')) throw error
  }
}

/** Lowers the priority of a child, and of what it starts from now on. */
export function yieldToOthers(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW)
  } catch (error) {
    // It has ended already.
    if (errorCode(error) !== 'ERR_SYSTEM_ERROR') throw error
  }
}
