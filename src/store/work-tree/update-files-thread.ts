import { answerJobs } from '../process/thread-job-loop.js'
import { bringFiles, type FileUpdate } from './update-files.js'

/** One job of the thread; its result is what {@link bringFiles} returns. */
export interface WorkTreeJob {
  readonly root: string
  readonly stagingDir: string
  readonly updates: readonly FileUpdate[]
}

answerJobs(({ root, stagingDir, updates }: WorkTreeJob) => bringFiles(root, stagingDir, updates))
