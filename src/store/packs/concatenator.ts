import { openWorkerThread } from '../workers/worker-thread.js'
import type { ConcatenateJob } from './concatenate-thread.js'

/**
 * Runs {@link concatenatePacks} in a worker thread.
 *
 * Fast path. Row "durable creates through HTTP": 0.05 ms of processor time a create. `git repack` of packs of 20,000
 * commits takes 6.7 s, which is 0.3 ms a commit for each time they are merged. Plain path: `git repack`.
 * @see docs/decisions/011-fast-paths.md
 */
export function openConcatenator(gitDir: string, stagingDir: string) {
  const thread = openWorkerThread<ConcatenateJob, void>(new URL('./concatenate-thread.js', import.meta.url))
  return {
    run: (except: ReadonlySet<string> = new Set()) => thread.run({ gitDir, stagingDir, except }),
    close: () => thread.close(),
  }
}
