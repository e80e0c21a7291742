import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hasBranches } from '../refs/read-refs.js'

/**
 * Whether a missing branch must have existed before. That is so if the repository was opened before, and if either the
 * branch has a reflog or the repository has no other branch.
 * @param ownDir our own folder, which exists if a repository with a commit was opened
 */
export function existedBefore(gitDir: string, ownDir: string, branch: string): boolean {
  if (!existsSync(ownDir)) return false
  return existsSync(join(gitDir, 'logs', branch)) || !hasBranches(gitDir)
}
