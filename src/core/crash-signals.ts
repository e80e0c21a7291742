/**
 * Signals by which the system ends a process that crashed, or that read beyond the end of a mapped file. Other signals
 * come from other processes. @see signal(7)
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
