import { runJobLoop } from '../../store/workers/job-loop.js'
import { runExportJob } from './export-job.js'

/*
 * Thread that writes the exports of long records.
 */

runJobLoop(runExportJob)
