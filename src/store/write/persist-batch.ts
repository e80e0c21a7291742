import type { NewObject } from '../packs/pack-writer.js'
import type { BranchMove, BranchMoveOutcome } from '../refs/move-branch.js'
import { openWorkerThread } from '../workers/worker-thread.js'
import { decide, objectsToColumns, openConsent } from './persist-batch-protocol.js'
import type { PersistJob, PersistOutcome } from './persist-batch-thread.js'

/** Who else decides whether the branch moves. */
interface Decisions {
  /** Called while the objects are written. If it throws, nothing is stored. */
  readonly prepare?: (() => void) | undefined
  /** Called when the objects are durable and the branch is locked. If it returns false or throws, the branch stays. */
  readonly agree?: (() => Promise<boolean>) | undefined
}

/** Makes flushes durable in a worker thread, one after another. */
export class BatchPersister {
  readonly #place: { readonly gitDir: string; readonly stagingDir: string }
  readonly #thread = openWorkerThread<PersistJob, PersistOutcome>(
    new URL('./persist-batch-thread.js', import.meta.url),
  )

  constructor(gitDir: string, stagingDir: string) {
    this.#place = { gitDir, stagingDir }
  }

  /**
   * Writes the objects as one pack and moves the branch.
   * @returns `refused` if `agree` returns false
   * @throws the error of `prepare` or `agree`
   */
  async publish(
    objects: readonly NewObject[],
    move: BranchMove,
    { prepare, agree }: Decisions,
  ): Promise<BranchMoveOutcome | 'refused'> {
    const columns = objectsToColumns(objects)
    const consent = openConsent()
    const job = { ...this.#place, objects: columns, move, consent, hold: agree !== undefined }
    const published = this.#thread.run(job, [columns.bytes])
    // The thread gets the job in a microtask; it works while `prepare` runs.
    await undefined
    let failure: { readonly thrown: unknown } | undefined
    try {
      prepare?.()
    } catch (thrown) {
      failure = { thrown }
    }
    decide(consent, failure === undefined)
    const outcome = await published
    if (failure) throw failure.thrown
    if (!agree || outcome !== 'held') return outcome as BranchMoveOutcome | 'refused'
    let agreed = false
    try {
      agreed = await agree()
    } finally {
      await this.#thread.run({ install: agreed })
    }
    return agreed ? 'moved' : 'refused'
  }

  async close(): Promise<void> {
    await this.#thread.disconnect({ release: true })
    await this.#thread.close()
  }
}
