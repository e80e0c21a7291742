import type { Terminal } from '../output/terminal.js'

/** Milliseconds a command waits for its turn beside a busy server: longer than one keeps its locks. */
export const patience = 60_000

/** @returns what tells a person of what happened to the repository meanwhile */
export function reportTo(terminal: Terminal): (line: string) => void {
  return line => terminal.note(`${terminal.paintNote('yellow', 'note:')} ${line}`)
}
