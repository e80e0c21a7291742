import { openWorkerThread } from '../process/worker-thread.js'
import type { ConcatenateJob } from './concatenate-thread.js'

/** Runs {@link concatenatePacks} in a worker thread. */
export function openConcatenator(gitDir: string, stagingDir: string) {
  const thread = openWorkerThread<ConcatenateJob, void>(new URL('./concatenate-thread.js', import.meta.url))
  return {
    run: (except: ReadonlySet<string> = new Set()) => thread.run({ gitDir, stagingDir, except }),
    close: () => thread.close(),
  }
}
