import type { History } from './history.js'
import { openGitHistory } from './history-git.js'
import { openWalkedHistory } from './history-walk.js'
import type { ObjectReader } from './objects.js'

/** @param git path of the git binary; undefined where there is none */
export function openHistory(git: string | undefined, gitDir: string, objects: ObjectReader): History {
  return git === undefined ? openWalkedHistory(objects) : openGitHistory(git, gitDir, objects)
}
