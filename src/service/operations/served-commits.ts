import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { type Clone, lines } from '../../store/local-clone/open-clone.js'
import { readRef } from '../../store/refs/read-refs.js'
import { ownFolder } from '../../store/repository/open-repository.js'
import { servedRef } from '../../store/repository/served-branch-file.js'

/** The served branch; undefined in a linked work tree. */
export function servedIn({ dir, gitDir, commonDir, bare }: Clone) {
  const ownDir = join(commonDir, ownFolder)
  const branch = gitDir === commonDir ? servedRef({ gitDir, ownDir }) : undefined
  return branch === undefined ? undefined : { dir, gitDir, bare, branch, head: commitOf(gitDir, branch) }
}

/** Undefined for a damaged branch too, which the clone has as its fault. */
function commitOf(gitDir: string, branch: string): Oid | undefined {
  try {
    return readRef(gitDir, branch)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** @returns undefined if the branch does not contain the commit */
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
