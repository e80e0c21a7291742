import { runJobLoop } from '../workers/job-loop.js'
import { concatenatePacks } from './concatenate.js'

/** The arguments of {@link concatenatePacks}. */
export interface ConcatenateJob {
  readonly gitDir: string
  readonly stagingDir: string
  readonly except: ReadonlySet<string>
}

runJobLoop(({ gitDir, stagingDir, except }: ConcatenateJob) => concatenatePacks(gitDir, stagingDir, except))
