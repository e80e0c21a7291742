import type { ObjectReader } from '../objects/object-reader.js'
import type { History } from './first-parent-history.js'
import { openGitLogHistory } from './git-log.js'
import { openObjectWalkHistory } from './object-walk.js'

/** @param git path of the git binary; undefined: work without git */
export function openHistory(git: string | undefined, gitDir: string, objects: ObjectReader): History {
  return git === undefined ? openObjectWalkHistory(objects) : openGitLogHistory(git, gitDir, objects)
}
