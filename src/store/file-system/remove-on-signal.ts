import { rmSync } from 'node:fs'
import { terminationSignals } from '../../core/termination-signals.js'

const paths = new Set<string>()

/** Removes a file or folder if a signal ends the process. @returns cancels it */
export function removeOnSignal(path: string): () => void {
  // Before the listener of a server, which removes itself at the first signal.
  if (paths.size === 0) for (const signal of terminationSignals) process.prependListener(signal, endBySignal)
  paths.add(path)
  return () => {
    paths.delete(path)
    if (paths.size === 0) for (const signal of terminationSignals) process.off(signal, endBySignal)
  }
}

/** Another listener, such as that of a server, ends the process in order. */
function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  try {
    // Child processes may still write there.
    for (const path of paths) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } finally {
    process.off(signal, endBySignal)
    process.kill(process.pid, signal)
  }
}
