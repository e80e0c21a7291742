import { terminationSignals } from '../../core/termination-signals.js'

/**
 * Runs a task, and closes what it uses, also if a signal ends the process: locks are released, and the work tree gets to the
 * branch. A second signal ends the process at once.
 * @param close called once
 */
export async function endInOrder<T>(task: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  let ending: Promise<never> | undefined
  const leave = () => {
    for (const signal of terminationSignals) process.off(signal, heard)
  }
  function heard(signal: NodeJS.Signals): void {
    if (ending) endBy(signal)
    // The process ends also if that fails: the next command removes what is left.
    else
      ending = close().then(
        () => endBy(signal),
        () => endBy(signal),
      )
  }
  function endBy(signal: NodeJS.Signals): Promise<never> {
    leave()
    process.kill(process.pid, signal)
    return new Promise(() => undefined)
  }
  for (const signal of terminationSignals) process.on(signal, heard)
  try {
    return await task()
  } finally {
    if (ending) await ending
    leave()
    await close()
  }
}
