import { serveRevisionBatches } from '../../catalog/read/revision-batch-thread.js'
import { renderByKey } from './rendered-record.js'

/*
 * Thread that reads newest revisions in batches, and renders their records.
 */

serveRevisionBatches(renderByKey)
