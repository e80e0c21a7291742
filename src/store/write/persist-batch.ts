import type { NewObject } from '../packs/pack-writer.js'
import type { BranchMove, BranchMoveOutcome } from '../refs/move-branch.js'
import { openWorkerThread } from '../workers/worker-thread.js'
import { objectsToColumns } from './persist-batch-protocol.js'
import type { PersistJob } from './persist-batch-thread.js'

/** Makes flushes durable in a worker thread, one after another. */
export class BatchPersister {
  readonly #place: { readonly gitDir: string; readonly stagingDir: string }
  readonly #thread = openWorkerThread<PersistJob, BranchMoveOutcome | 'held'>(
    new URL('./persist-batch-thread.js', import.meta.url),
  )

  constructor(gitDir: string, stagingDir: string) {
    this.#place = { gitDir, stagingDir }
  }

  /**
   * Writes the objects as one pack and moves the branch.
   * @param agree called when the objects are durable and the branch is locked; if it returns false or throws, the
   *   branch does not move
   * @returns `refused` if `agree` returns false
   */
  async publish(
    objects: readonly NewObject[],
    move: BranchMove,
    agree?: () => Promise<boolean>,
  ): Promise<BranchMoveOutcome | 'refused'> {
    const columns = objectsToColumns(objects)
    const job = { ...this.#place, objects: columns, move, hold: agree !== undefined }
    const outcome = await this.#thread.run(job, [columns.bytes])
    if (!agree || outcome !== 'held') return outcome as BranchMoveOutcome
    let agreed = false
    try {
      agreed = await agree()
    } finally {
      await this.#thread.run({ install: agreed })
    }
    return agreed ? 'moved' : 'refused'
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
