import { isPlain } from '../../core/plain-mode.js'
import { openSpareFiles, type SpareFiles } from '../file-system/spare-files.js'
import { makeKeepFile, stagePack, type WrittenPack } from '../packs/pack-writer.js'
import {
  type BranchMove,
  type BranchMoveOutcome,
  type PreparedBranchMove,
  prepareBranchMove,
} from '../refs/move-branch.js'
import { runJobLoop } from '../workers/job-loop.js'
import { awaitConsent, columnsToObjects, type ObjectColumns } from './persist-batch-protocol.js'

/** Writes the objects and moves the branch. */
interface FlushJob {
  readonly gitDir: string
  readonly stagingDir: string
  readonly objects: ObjectColumns
  readonly move: BranchMove
  /** Whether the pack may get its name. The thread waits for it when the bytes are durable. */
  readonly consent: Int32Array
  /** Keeps the `.keep` file and the lock of the branch until the next job, an {@link EndJob}. */
  readonly hold: boolean
}

/** Ends a flush that holds the branch. */
interface EndJob {
  /** Whether to move the branch. */
  readonly install: boolean
}

/** Removes what the thread keeps for the next flush. */
interface ReleaseJob {
  readonly release: true
}

export type PersistJob = FlushJob | EndJob | ReleaseJob

export type PersistOutcome = BranchMoveOutcome | 'held' | 'refused' | 'released'

/** Pack, index and value of the branch. */
const filesPerFlush = 3

/** What the thread keeps in the staging folder between flushes. */
interface Supplies {
  readonly stagingDir: string
  /** Undefined until the second flush: a command makes one, and needs no spare file. */
  spareFiles: SpareFiles | undefined
  readonly keepFile: string
}

let supplies: Supplies | undefined
let held: { readonly prepared: PreparedBranchMove; readonly pack: WrittenPack } | undefined

/*
 * Order of durability: first the contents of the pack, its index and the new value of the branch, synced concurrently;
 * then the names of pack and index; then the branch. So a durable branch never leads to objects that are not durable,
 * and a flush waits for the disk three times.
 */
runJobLoop(async (job: PersistJob): Promise<PersistOutcome> => {
  if ('release' in job) return release()
  return 'install' in job ? end(job) : await flush(job)
})

async function flush(job: FlushJob): Promise<PersistOutcome> {
  const { gitDir, stagingDir, objects, move, consent, hold } = job
  const prepared = prepareBranchMove(gitDir, stagingDir, move)
  const { spareFiles, keepFile } = suppliesIn(stagingDir)
  let pack: WrittenPack | undefined
  try {
    const staged = await stagePack(gitDir, stagingDir, columnsToObjects(objects), {
      otherFiles: [prepared.file],
      keepFile,
      ...(spareFiles && { create: spareFiles.create }),
    })
    if (!awaitConsent(consent)) {
      staged.discard()
      return 'refused'
    }
    pack = staged.place()
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
    spareFiles?.refill()
  }
}

function suppliesIn(stagingDir: string): Supplies {
  if (supplies?.stagingDir === stagingDir) {
    if (!isPlain) supplies.spareFiles ??= openSpareFiles(stagingDir, filesPerFlush)
  } else {
    release()
    supplies = { stagingDir, keepFile: makeKeepFile(stagingDir), spareFiles: undefined }
  }
  return supplies
}

function end({ install }: EndJob): PersistOutcome {
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

function release(): PersistOutcome {
  supplies?.spareFiles?.close()
  supplies = undefined
  return 'released'
}
