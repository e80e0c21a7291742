import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { type Clone, lines } from '../../store/local-clone/open-clone.js'
import { readRef } from '../../store/refs/read-refs.js'
import { ownFolder, servedRef } from '../../store/repository/open-repository.js'

/** The served branch of a clone, and its commit; undefined in a linked work tree. */
export function servedIn({ dir, gitDir, commonDir, bare }: Clone) {
  const ownDir = join(commonDir, ownFolder)
  const branch = gitDir === commonDir ? servedRef({ gitDir, ownDir }) : undefined
  return branch === undefined ? undefined : { dir, gitDir, bare, branch, head: commitOf(gitDir, branch) }
}

/** The commit of a branch; undefined if there is none, or if the branch is damaged, which `Clone.fault` reports. */
function commitOf(gitDir: string, branch: string): Oid | undefined {
  try {
    return readRef(gitDir, branch)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Counts the commits from `commit` to `head`, by first parents. @returns undefined if `head` does not contain it */
export async function commitsAfter(
  { git }: Clone,
  commit: Oid,
  head: Oid | undefined,
): Promise<number | undefined> {
  if (head === undefined) return undefined
  const contained = await git(['merge-base', '--is-ancestor', commit, head])
  if (contained.code !== 0) return undefined
  const counted = await git(['rev-list', '--count', '--first-parent', `${commit}..${head}`])
  return counted.code === 0 ? Number(lines(counted)[0]) : undefined
}
