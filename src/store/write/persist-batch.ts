import type { NewObject } from '../packs/pack-writer.js'
import { openWorkerThread } from '../process/worker-thread.js'
import type { BranchMove, BranchMoveOutcome } from '../refs/compare-and-swap.js'
import { objectsToColumns } from './persist-batch-protocol.js'
import type { PersistJob } from './persist-batch-thread.js'

/** Makes flushes durable, one after the other, off the event loop. */
export interface BatchPersister {
  /**
   * Puts the objects on disk as one pack, whether or not the branch then moves to a commit among them.
   * @param agree is asked when the objects are there and nobody else can move the branch; where it says no, or throws,
   *   the branch stays where it is
   * @returns `refused` where it says no
   */
  publish(
    objects: readonly NewObject[],
    move: BranchMove,
    agree?: () => Promise<boolean>,
  ): Promise<BranchMoveOutcome | 'refused'>
  close(): Promise<void>
}

export function openBatchPersister(gitDir: string, stagingDir: string): BatchPersister {
  const thread = openWorkerThread<PersistJob, BranchMoveOutcome | 'held'>(
    new URL('./persist-batch-thread.js', import.meta.url),
  )

  /** Ends a job that holds the branch. */
  async function decide(agree: () => Promise<boolean>): Promise<BranchMoveOutcome | 'refused'> {
    let agreed = false
    try {
      agreed = await agree()
    } finally {
      await thread.run({ make: agreed })
    }
    return agreed ? 'moved' : 'refused'
  }

  return {
    async publish(objects, move, agree) {
      const columns = objectsToColumns(objects)
      const job = { gitDir, stagingDir, objects: columns, move, hold: agree !== undefined }
      const outcome = await thread.run(job, [columns.bytes])
      if (outcome !== 'held') return outcome
      if (!agree) throw new Error('The branch is held for nobody.')
      return await decide(agree)
    },
    close: () => thread.close(),
  }
}
