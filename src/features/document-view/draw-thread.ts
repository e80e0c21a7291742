import { runJobLoop } from '../../store/workers/job-loop.js'
import { runDrawJob } from './draw.js'

/*
 * Thread that draws documents and schemas.
 */

runJobLoop(runDrawJob)
