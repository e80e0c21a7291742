import type { Terminal } from '../output/terminal.js'

/** Milliseconds a command waits for the locks of a busy server. No server holds them that long. */
export const patience = 60_000

/** @returns what prints a note about the repository on standard error */
export function reportTo(terminal: Terminal): (line: string) => void {
  return line => terminal.note(`${terminal.paintNote('yellow', 'note:')} ${line}`)
}
