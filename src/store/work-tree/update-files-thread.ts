import { runJobLoop } from '../workers/job-loop.js'
import { type FileUpdate, updateFiles } from './update-files.js'

/** The arguments of {@link updateFiles}. */
export interface WorkTreeJob {
  readonly root: string
  readonly stagingDir: string
  readonly updates: readonly FileUpdate[]
}

runJobLoop(({ root, stagingDir, updates }: WorkTreeJob) => updateFiles(root, stagingDir, updates))
