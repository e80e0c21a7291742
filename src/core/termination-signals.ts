/**
 * Signals that ask a program to end: Ctrl-C, a service manager, and a terminal that is closed. Node.js gives SIGHUP its
 * default action even if the parent has it ignored, as `nohup` does. @see signal(7)
 */
export const terminationSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
