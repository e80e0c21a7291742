import type { Terminal } from '../output/terminal.js'

/** Milliseconds that a command waits for the locks of a busy server. No server holds them that long. */
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
