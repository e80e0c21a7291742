import { answerTogether } from '../catalog/answer-together.js'
import { show } from './shown-as.js'

/*
 * Reads newest revisions, where many are asked for, and makes of records what they are shown as.
 */

answerTogether(show)
