import type { ObjectReader } from '../objects/object-reader.js'
import type { History } from './first-parent-history.js'
import { openGitHistory } from './git-log.js'
import { openWalkedHistory } from './object-walk.js'

/** @param git path of the git binary; undefined where there is none */
export function openHistory(git: string | undefined, gitDir: string, objects: ObjectReader): History {
  return git === undefined ? openWalkedHistory(objects) : openGitHistory(git, gitDir, objects)
}
