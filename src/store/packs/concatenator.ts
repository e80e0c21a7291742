import { openWorkerThread } from '../process/worker-thread.js'
import type { ConcatenateJob } from './concatenate-thread.js'

/** Puts our own packs one after the other, off the event loop. */
export interface Concatenator {
  /**
   * The caller is the only one who merges.
   * @param except names of packs to leave alone: a repack under way counts on them; default: none
   */
  run(except?: ReadonlySet<string>): Promise<void>
  close(): Promise<void>
}

export function openConcatenator(gitDir: string, stagingDir: string): Concatenator {
  const thread = openWorkerThread<ConcatenateJob, void>(new URL('./concatenate-thread.js', import.meta.url))
  return {
    run: (except = new Set()) => thread.run({ gitDir, stagingDir, except }),
    close: () => thread.close(),
  }
}
