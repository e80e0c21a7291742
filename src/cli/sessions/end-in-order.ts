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
    // Another listener may get the signal in a later round of the event loop, which must not end before.
    setInterval(() => undefined, 1000)
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

/** Runs a task. If a signal comes meanwhile, the process ends after the task; a second signal ends it at once. */
export async function finishBeforeEnd<T>(task: () => Promise<T>): Promise<T> {
  let running: Promise<T> | undefined
  const run = () => {
    running = task()
    return running
  }
  return await endInOrder(run, async () => {
    // The caller gets its error.
    await running?.catch(() => undefined)
  })
}
