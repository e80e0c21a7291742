import { rmSync } from 'node:fs'
import { terminationSignals } from '../../core/termination-signals.js'

const paths = new Set<string>()

/** Removes a file or folder if a signal ends the process. @returns a function that cancels this */
export function removeOnSignal(path: string): () => void {
  // This listener runs before that of a server, which removes itself at the first signal and would not be counted then.
  if (paths.size === 0) for (const signal of terminationSignals) process.prependListener(signal, endBySignal)
  paths.add(path)
  return () => {
    paths.delete(path)
    if (paths.size === 0) for (const signal of terminationSignals) process.off(signal, endBySignal)
  }
}

/** Removes the files and ends the process, unless another listener does that in order, such as that of a server. */
function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  try {
    // Child processes may still write there, so `rmSync` tries again.
    for (const path of paths) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } finally {
    process.off(signal, endBySignal)
    process.kill(process.pid, signal)
  }
}
