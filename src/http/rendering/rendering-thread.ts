import { serveRevisionBatches } from '../../catalog/read/revision-batch-thread.js'
import { renderByKey } from './rendering-key.js'

/*
 * Reads newest revisions, where many are asked for, and makes of records what they are shown as.
 */

serveRevisionBatches(renderByKey)
