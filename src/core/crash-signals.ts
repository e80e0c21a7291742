/**
 * Signals that end a process for what it did itself: a crash, or a file it has mapped that is shorter than it was. Any other
 * signal was sent by another process. @see signal(7)
 */
export const crashSignals: ReadonlySet<string> = new Set([
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGSYS',
  'SIGTRAP',
])
