import type { ObjectReader } from '../objects/object-reader.js'
import type { History } from './first-parent-history.js'
import { openGitLogHistory } from './git-log.js'
import { openObjectWalkHistory } from './object-walk.js'

/**
 * Reads the history by `git log`, or by walking the commits if there is no git.
 * @param git path of the git binary; undefined: none
 */
export function openHistory(git: string | undefined, gitDir: string, objects: ObjectReader): History {
  return git === undefined ? openObjectWalkHistory(objects) : openGitLogHistory(git, gitDir, objects)
}
