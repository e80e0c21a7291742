import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Id } from '../../../core/value-types.js'
import { packFolder } from '../../../store/git-commands/git-directory.js'
import { openMergeLock } from '../../../store/locks/process-lock.js'
import { openBufferedPackWriter, type WrittenPack } from '../../../store/packs/pack-writer.js'
import { stagingFolders } from '../../../store/repository-folder/staging-folder.js'
import { beginPurge, endPurge } from '../../../store/repository-folder/unfinished-purge.js'
import { clearDerived, erase, moveRefs } from './erase-old-history.js'
import { conflict, type PurgeRepository } from './purge-commands.js'
import { withNotice } from './purge-notice.js'
import { checkPurgePreconditions } from './purge-preconditions.js'
import { type PurgePlan, rewriteWithoutRecord } from './rewrite-without-record.js'

export type { PurgePlan, PurgeRepository }

export interface PurgeResult extends PurgePlan {
  /** Paths of other records with the same content as an erased file or folder. */
  readonly shared: readonly string[]
}

type Progress = (done: number, total: number) => void

/** Limit of the wait for another process that merges packs, in milliseconds. */
const patience = 60_000

/**
 * Plans a purge, and writes nothing.
 * @throws ProblemError as {@link purgeRecord}
 */
export async function planPurge(place: PurgeRepository, id: Id, progress: Progress): Promise<PurgePlan> {
  await checkPurgePreconditions(place, id)
  return await rewriteWithoutRecord(place, id, () => Promise.resolve(), progress)
}

interface PurgeOptions {
  /** Called with the plan when the new history is written, before a ref leads to it; an error ends the purge. */
  agree(plan: PurgePlan): Promise<void>
  readonly progress: Progress
  /** Whether id and time of the purge stay in the repository, so that harvesters are told of it. */
  readonly leavesNotice: boolean
}

/**
 * Removes a record from the whole history: from all branches and tags, and from every file of the Git directory. The
 * caller holds the writer lock. A kill leaves the old or the new history, and the next run finishes the purge.
 * @throws ProblemError `not-found` if the history has nothing of the record; `conflict` if another ref or file keeps it
 */
export async function purgeRecord(
  place: PurgeRepository,
  id: Id,
  { agree, progress, leavesNotice }: PurgeOptions,
): Promise<PurgeResult> {
  await checkPurgePreconditions(place, id)
  const packs: WrittenPack[] = []
  const sink = openBufferedPackWriter(place.gitDir, place.stagingDir, pack => packs.push(pack))
  const merging = openMergeLock(place.ownDir)
  try {
    // A concurrent merge of packs would copy the old objects.
    if (!(await merging.acquire(patience))) throw conflict('Another process is merging packs. Try again.')
    let planned: PurgePlan
    try {
      planned = await rewriteWithoutRecord(place, id, sink.write, progress)
      await sink.end()
      if (leavesNotice) {
        planned = await withNotice(place, planned, id, sink.write)
        await sink.end()
      }
      await agree(planned)
    } catch (error) {
      for (const pack of packs) discard(place.gitDir, pack)
      throw error
    }
    beginPurge(place.ownDir, id)
    for (const folder of stagingFolders(place)) clearDerived(folder)
    await moveRefs(place, planned)
    for (const pack of packs) pack.release()
    const shared = await erase(place, id, planned)
    endPurge(place.ownDir)
    return { ...planned, shared }
  } finally {
    merging.close()
  }
}

/** Removes a pack of the new history after a failure. */
function discard(gitDir: string, { name, release }: WrittenPack): void {
  for (const ending of ['idx', 'pack']) rmSync(join(packFolder(gitDir), `${name}.${ending}`), { force: true })
  release()
}
