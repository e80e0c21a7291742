import { type WrittenPack, writePack } from '../packs/pack-writer.js'
import {
  type BranchMove,
  type BranchMoveOutcome,
  type PreparedBranchMove,
  prepareBranchMove,
} from '../refs/move-branch.js'
import { runJobLoop } from '../workers/job-loop.js'
import { columnsToObjects, type ObjectColumns } from './persist-batch-protocol.js'

/** Writes the objects and moves the branch. */
interface FlushJob {
  readonly gitDir: string
  readonly stagingDir: string
  readonly objects: ObjectColumns
  readonly move: BranchMove
  /** Keeps the `.keep` file and the lock of the branch until the next job, an {@link EndJob}. */
  readonly hold: boolean
}

/** Ends a flush that holds the branch. */
interface EndJob {
  /** Whether to move the branch. */
  readonly install: boolean
}

export type PersistJob = FlushJob | EndJob

let held: { readonly prepared: PreparedBranchMove; readonly pack: WrittenPack } | undefined

/*
 * Order of durability: first the contents of the pack, its index and the new value of the branch, synced concurrently;
 * then the names of pack and index; then the branch. So a durable branch never leads to objects that are not durable,
 * and a flush waits for the disk three times.
 */
runJobLoop(async (job: PersistJob): Promise<BranchMoveOutcome | 'held'> => {
  return 'install' in job ? end(job) : await flush(job)
})

async function flush({
  gitDir,
  stagingDir,
  objects,
  move,
  hold,
}: FlushJob): Promise<BranchMoveOutcome | 'held'> {
  const prepared = prepareBranchMove(gitDir, stagingDir, move)
  let pack: WrittenPack | undefined
  try {
    pack = await writePack(gitDir, stagingDir, columnsToObjects(objects), [prepared.file])
    const state = prepared.take()
    if (state !== 'held') return state
    if (hold) {
      held = { prepared, pack }
      return 'held'
    }
    prepared.install()
    return 'moved'
  } finally {
    if (!held) {
      pack?.release()
      prepared.forget()
    }
  }
}

function end({ install }: EndJob): BranchMoveOutcome {
  if (!held) throw new Error('No flush holds the branch.')
  const { prepared, pack } = held
  held = undefined
  try {
    if (install) prepared.install()
    return install ? 'moved' : 'not-there'
  } finally {
    pack.release()
    prepared.forget()
  }
}
