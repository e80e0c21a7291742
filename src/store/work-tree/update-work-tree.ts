import { isPlain } from '../../core/plain-mode.js'
import { mergeIntoIndex } from './merge-index.js'
import { type FileUpdate, type UpdatedFiles, updateFiles } from './update-files.js'

export interface WorkTreeJob {
  readonly root: string
  readonly gitDir: string
  readonly stagingDir: string
  readonly updates: readonly FileUpdate[]
  /** State of the index after the last job. */
  readonly index: string | undefined
  /** Whether edits of users are based on older contents, so that `update-index.ts` has to update the index. */
  readonly hasEditBases: boolean
}

export interface UpdatedWorkTree extends UpdatedFiles {
  /** State of the updated index; undefined: `update-index.ts` has to update it. */
  readonly index: string | undefined
  /** Milliseconds that the index took. */
  readonly indexTime: number
}

/** Updates checked-out files and, in the usual case, their entries in the index. */
export function updateWorkTree(job: WorkTreeJob): UpdatedWorkTree {
  const { root, gitDir, stagingDir, updates, hasEditBases } = job
  const { current, left } = updateFiles(root, stagingDir, updates)
  const began = performance.now()
  const isUsual = !isPlain && !hasEditBases && left.length === 0
  const index = isUsual
    ? mergeIntoIndex({ gitDir, stagingDir, updates, current, written: job.index })
    : undefined
  return { current, left, index, indexTime: performance.now() - began }
}
