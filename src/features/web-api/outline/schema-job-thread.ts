import { runJobLoop } from '../../../store/workers/job-loop.js'
import { runSchemaJob } from './schema-job.js'

/*
 * Thread that makes outlines and bundles of schemas.
 */

runJobLoop(runSchemaJob)
