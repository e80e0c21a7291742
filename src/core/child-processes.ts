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

/** A minimal environment for child processes. Windows starts no process without `SystemRoot`. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env
  return SystemRoot === undefined ? {} : { SystemRoot }
}

/**
 * Signals that ask a program to end: Ctrl-C, a service manager, and a terminal that is closed. Node.js gives SIGHUP its
 * default action even if the parent has it ignored, as `nohup` does. @see signal(7)
 */
export const terminationSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
