import type { ChildProcess } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { errorCode, hasErrorCode } from '../file-system/file-errors.js'

/** Milliseconds between SIGTERM and SIGKILL. */
const maxTimeToEnd = 2000

/** Spawn options for a child that leads a process group, so that it and its children can be ended together. */
export const asGroupLeader = { detached: process.platform !== 'win32' }

/**
 * Ends the process group of a child when the signal aborts, or the child alone if it leads none: SIGTERM, then SIGKILL.
 * @param closed resolves when the child and all processes that share its output have ended
 */
export function killOnAbort(child: ChildProcess, signal: AbortSignal, closed: Promise<unknown>): void {
  let insisting: NodeJS.Timeout | undefined
  let isGone = false
  // This works until `closed` resolves, because children may outlive the group leader.
  const kill = (by: NodeJS.Signals) => {
    if (child.pid === undefined || isGone) return
    if (process.platform === 'win32' || !killGroup(child.pid, by)) child.kill(by)
  }
  const end = () => {
    kill('SIGTERM')
    insisting ??= setTimeout(() => kill('SIGKILL'), maxTimeToEnd)
  }
  signal.addEventListener('abort', end)
  child.once('exit', () => {
    // Repeat the signal: `timeout` of coreutils 9.1 may end without passing it on to a program that it is just starting.
    // If no process of the group is left, the system may give its number to another group, which must get no signal.
    isGone = child.pid === undefined || !killGroup(child.pid, insisting ? 'SIGTERM' : 0)
  })
  void closed.then(() => {
    clearTimeout(insisting)
    signal.removeEventListener('abort', end)
  })
  if (signal.aborted) end()
}

/**
 * Sends a signal to the remaining processes of a group.
 * @param by 0 sends nothing
 * @returns false if there is no such group, or not yet one
 */
export function killGroup(leader: number, by: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, by)
  } catch (error) {
    // ESRCH: no process is left. On some systems EPERM says that only zombies are left.
    if (!hasErrorCode(error, 'ESRCH', 'EPERM')) throw error
    return false
  }
}

/** Lowers the priority of a child and of the processes it starts from now on. */
export function yieldToOthers(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW)
  } catch (error) {
    // The child has ended.
    if (errorCode(error) !== 'ERR_SYSTEM_ERROR') throw error
  }
}
