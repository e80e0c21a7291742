import { answerJobs } from './answer-jobs.js'
import { concatenatePacks } from './concatenate-packs.js'

/** One job of the thread, as {@link concatenatePacks} takes it. */
export interface ConcatenateJob {
  readonly gitDir: string
  readonly stagingDir: string
  readonly except: ReadonlySet<string>
}

answerJobs(({ gitDir, stagingDir, except }: ConcatenateJob) => concatenatePacks(gitDir, stagingDir, except))
