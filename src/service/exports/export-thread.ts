import { runExportJob } from '../../exports/export-job.js'
import { runJobLoop } from '../../store/workers/job-loop.js'

/*
 * Thread that writes the exports of long records.
 */

runJobLoop(runExportJob)
