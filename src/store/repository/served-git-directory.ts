import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileAtomically } from '../file-system/durable-files.js'
import { isAtServedBranch } from './head-watch.js'
import type { Repository } from './open-repository.js'

/**
 * The Git directory for those who read the repository from outside: HEAD there is at the served branch. While HEAD of the
 * repository is elsewhere it is a folder of ours, as that of a linked work tree. @see gitrepository-layout(5), "commondir"
 */
export function servedGitDir(repository: Repository): string {
  const { gitDir, ownDir, branch } = repository
  if (isAtServedBranch(repository)) return gitDir
  const folder = join(ownDir, 'served-head')
  mkdirSync(folder, { recursive: true })
  replaceFileAtomically(join(folder, 'commondir'), '../..\n')
  replaceFileAtomically(join(folder, 'HEAD'), `ref: ${branch}\n`)
  return folder
}
