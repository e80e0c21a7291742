import type { Terminal } from '../output/terminal.js'

/** Limit in milliseconds of the wait for locks. No server, however busy, holds them that long. */
const maxLockWait = 60_000

/** How a command waits for the locks of a repository, and prints notes about it on standard error. */
export function lockWait(terminal: Terminal): {
  readonly patience: number
  report(line: string): void
} {
  return {
    patience: maxLockWait,
    report: line => terminal.note(`${terminal.paintNote('yellow', 'note:')} ${line}`),
  }
}
