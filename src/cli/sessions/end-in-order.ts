import { terminationSignals } from '../../core/child-processes.js'

/**
 * Runs a task and closes what the task used, even if a signal ends the process. A second signal ends the process at
 * once.
 * @param close called once; releases locks and updates the work tree to the branch
 */
export async function endInOrder<T>(task: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  let ending: Promise<never> | undefined
  const leave = () => {
    for (const signal of terminationSignals) process.off(signal, heard)
  }
  function heard(signal: NodeJS.Signals): void {
    if (ending) endBy(signal)
    // The process ends even if `close` fails: the next command removes what is left.
    else
      ending = close().then(
        () => endBy(signal),
        () => endBy(signal),
      )
  }
  function endBy(signal: NodeJS.Signals): Promise<never> {
    leave()
    process.kill(process.pid, signal)
    // Keeps the event loop running, because another listener may get the signal in a later iteration.
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
    // The caller of `finishBeforeEnd` gets the error of the task.
    await running?.catch(() => undefined)
  })
}
