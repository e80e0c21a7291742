import type { NewObject } from '../packs/pack-writer.js'
import { openWorkerThread } from '../process/worker-thread.js'
import type { BranchMove, BranchMoveOutcome } from '../refs/compare-and-swap.js'
import { objectsToColumns } from './persist-batch-protocol.js'
import type { PersistJob } from './persist-batch-thread.js'

/** Makes flushes durable in a worker thread, one after another. */
export interface BatchPersister {
  /**
   * Writes the objects as one pack and moves the branch.
   * @param agree called when the objects are durable and the branch is locked; if it returns false or throws, the
   *   branch does not move
   * @returns `refused` if `agree` returns false
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

  /** Moves the held branch if `agree` returns true, and releases it. */
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
      if (!agree) throw new Error('The branch is held without a decision to wait for.')
      return await decide(agree)
    },
    close: () => thread.close(),
  }
}
