import { type WrittenPack, writePack } from '../packs/pack-writer.js'
import { runJobLoop } from '../process/thread-job-loop.js'
import {
  type BranchMove,
  type BranchMoveOutcome,
  type PreparedBranchMove,
  prepareBranchMove,
} from '../refs/compare-and-swap.js'
import { columnsToObjects, type ObjectColumns } from './persist-batch-protocol.js'

/** One flush: the objects, and where the branch is to go. */
export interface FlushJob {
  readonly gitDir: string
  readonly stagingDir: string
  readonly objects: ObjectColumns
  readonly move: BranchMove
  /** Keeps the pack and the lock of the branch until the next job says what becomes of the move. */
  readonly hold: boolean
}

/** Ends a flush that holds the branch: it is moved, or not. */
export interface EndJob {
  readonly make: boolean
}

export type PersistJob = FlushJob | EndJob

let held: { readonly prepared: PreparedBranchMove; readonly pack: WrittenPack } | undefined

/*
 * The order in which things become durable: first what has no name yet that anybody looks for, all of it at once (the
 * pack, its index, the new value of the branch); then the names of the pack and the index; then the branch. So the disk
 * is waited for three times, and at no moment does a durable branch lead to anything that is not.
 */
runJobLoop(async (job: PersistJob): Promise<BranchMoveOutcome | 'held'> => {
  return 'make' in job ? end(job) : await flush(job)
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
    pack = await writePack(gitDir, stagingDir, columnsToObjects(objects), [prepared.value])
    const state = prepared.hold()
    if (state !== 'held') return state
    if (hold) {
      held = { prepared, pack }
      return 'held'
    }
    prepared.make()
    return 'moved'
  } finally {
    if (!held) {
      pack?.release()
      prepared.forget()
    }
  }
}

function end({ make }: EndJob): BranchMoveOutcome {
  if (!held) throw new Error('No flush holds the branch.')
  const { prepared, pack } = held
  held = undefined
  try {
    if (make) prepared.make()
    return make ? 'moved' : 'not-there'
  } finally {
    pack.release()
    prepared.forget()
  }
}
