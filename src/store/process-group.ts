import type { ChildProcess } from 'node:child_process'

/** Milliseconds a group is left to clear up. */
const longestEnd = 2000

/** How a child has to be started to lead a group: it and what it starts can then be ended together. */
export const asLeader = { detached: process.platform !== 'win32' }

/**
 * Ends a child that was started {@link asLeader}, and all it has started, once a signal says so. What does not end soon is
 * killed. Listens until the child has ended.
 */
export function endWith(child: ChildProcess, signal: AbortSignal): void {
  let insisting: NodeJS.Timeout | undefined
  const kill = (by: NodeJS.Signals) => {
    // Its number may be another process's as soon as it has ended.
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    if (process.platform === 'win32') child.kill(by)
    else process.kill(-child.pid, by)
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
