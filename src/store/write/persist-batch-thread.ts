import { randomBytes } from 'node:crypto'
import { closeSync, openSync, renameSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isPlain } from '../../core/plain-mode.js'
import { type CreateFile, createFile } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { makeKeepFile, stagePack, type WrittenPack } from '../packs/pack-writer.js'
import { type PreparedBranchMove, prepareBranchMove } from '../refs/move-branch.js'
import { runJobLoop } from '../workers/job-loop.js'
import {
  awaitConsent,
  columnsToObjects,
  type EndJob,
  type FlushJob,
  type PersistJob,
  type PersistOutcome,
} from './persist-batch.js'

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

/**
 * Empty files that are made before they are needed. To make a file, ext4 without a journal looks through all files that
 * were deleted in the last minutes, which takes longer than to write and sync the new one.
 *
 * Fast path. Benchmark "one client, creates one after another": 4.8 ms instead of 6.8 ms. Plain path: {@link
 * createFile}.
 * @see docs/decisions/011-fast-paths.md
 */
interface SpareFiles {
  /** Renames a spare file, or makes a file if none is left. A file with that name is replaced. */
  readonly create: CreateFile
  /** Makes spare files, one in each iteration of the event loop. */
  refill(): void
  /** Removes the spare files. */
  close(): void
}

/**
 * Keeps some empty files ready, which get their name when they are needed.
 * @param folder on the file system of the later files; the names are those of temporary files, `new-` and 12 hex digits
 * @param count of files to keep
 */
function openSpareFiles(folder: string, count: number): SpareFiles {
  const spares: string[] = []
  let wanted = count
  let isRefilling = false

  function addOne(): void {
    isRefilling = false
    if (spares.length >= wanted) return
    const path = join(folder, `new-${randomBytes(6).toString('hex')}`)
    try {
      closeSync(createFile(path))
    } catch {
      // The next update makes its files itself, and reports why it cannot.
      return
    }
    spares.push(path)
    refill()
  }

  function refill(): void {
    if (isRefilling) return
    isRefilling = true
    setImmediate(addOne)
  }

  return {
    create(path) {
      for (let spare = spares.pop(); spare !== undefined; spare = spares.pop()) {
        const file = openRenamed(spare, path)
        if (file !== undefined) return file
      }
      return createFile(path)
    },
    refill,
    close() {
      wanted = 0
      for (const path of spares.splice(0)) undefinedIfMissing(() => unlinkSync(path))
    },
  }
}

/** Gives a spare file its name and opens it. @returns undefined if another process has removed the spare file */
function openRenamed(spare: string, path: string): number | undefined {
  return undefinedIfMissing(() => {
    renameSync(spare, path)
    return openSync(path, 'r+')
  })
}
