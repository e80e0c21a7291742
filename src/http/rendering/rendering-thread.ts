import { answerTogether } from '../../catalog/read/revision-batch-thread.js'
import { show } from './rendering-key.js'

/*
 * Reads newest revisions, where many are asked for, and makes of records what they are shown as.
 */

answerTogether(show)
