import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { errorCode, hasErrorCode } from '../file-system/file-errors.js'

/** Milliseconds between SIGTERM and SIGKILL. */
const maxTimeToEnd = 2000

/** Spawn options for a child that leads a process group, so that it and its children can be ended together. */
export const asGroupLeader = { detached: process.platform !== 'win32' }

/**
 * Ends the process group of a child when the signal aborts: SIGTERM, then SIGKILL. The child is started with
 * {@link asGroupLeader}. Listens until the child and all processes that share its output have ended.
 */
export function killOnAbort(child: ChildProcess, signal: AbortSignal): void {
  let insisting: NodeJS.Timeout | undefined
  // Works until `close`, because children may outlive the group leader.
  const kill = (by: NodeJS.Signals) => {
    if (child.pid === undefined) return
    if (process.platform === 'win32') child.kill(by)
    else killGroup(child.pid, by)
  }
  const end = () => {
    kill('SIGTERM')
    insisting ??= setTimeout(() => kill('SIGKILL'), maxTimeToEnd)
  }
  signal.addEventListener('abort', end)
  child.once('close', () => {
    clearTimeout(insisting)
    signal.removeEventListener('abort', end)
  })
  if (signal.aborted) end()
}

/** Sends a signal to the remaining processes of a group. */
export function killGroup(leader: number, by: NodeJS.Signals): void {
  try {
    process.kill(-leader, by)
  } catch (error) {
    // ESRCH: no process is left. Some systems answer EPERM if only zombies are left.
    if (!hasErrorCode(error, 'ESRCH', 'EPERM')) throw error
  }
}

/**
 * Lowers the priority of a child and of the processes it starts from now on.
 * @param child started with {@link asGroupLeader}
 */
export function yieldToOthers(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch (error) {
    // The child has ended.
    if (errorCode(error) !== 'ERR_SYSTEM_ERROR') throw error
  }
  if (process.platform === 'linux') lowerSessionPriority(child, pid)
}

/** Milliseconds until a priority of a session can be set again: Linux allows ten in a second to all users. */
const timeUntilNext = 150

/**
 * Lowers the priority of the session that a child leads. With the autogroups of Linux, the processor is shared
 * between sessions first, and the priority of a process counts among those of its own session alone: a child that
 * leads a session would get as much as the whole server.
 * @see https://man7.org/linux/man-pages/man7/sched.7.html, "The autogroup feature"
 */
function lowerSessionPriority(child: ChildProcess, pid: number): void {
  // A process that has ended may have left its number to another one.
  if (child.exitCode !== null || child.signalCode !== null) return
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_LOW), { flag: 'r+' })
  } catch (error) {
    if (hasErrorCode(error, 'EAGAIN'))
      setTimeout(() => lowerSessionPriority(child, pid), timeUntilNext).unref()
    // The child has ended, or the system has no autogroups, or none that this process may change.
    else if (!hasErrorCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'EROFS')) throw error
  }
}
