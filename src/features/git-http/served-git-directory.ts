import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileAtomically } from '../../store/file-system/durable-files.js'
import { isAtServedBranch } from '../../store/repository/head-watch.js'
import type { Repository } from '../../store/repository/open-repository.js'

/**
 * A Git directory for git clients: its HEAD is at the served branch. If HEAD of the repository is elsewhere, this is a
 * folder of our own, made like the Git directory of a linked work tree. @see gitrepository-layout(5), "commondir"
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
