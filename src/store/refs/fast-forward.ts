import { type Oid, toInstant } from '../../core/value-types.js'
import { syncFolder, writeFilesDurably } from '../file-system/durable-files.js'
import { type GitDirectory, packFolder } from '../git-commands/git-directory.js'
import { identityLine, serviceIdentity } from '../objects/commit-format.js'
import { type BranchMoveOutcome, prepareBranchMove } from './move-branch.js'

/** Limit of the wait for another process's lock on the branch, in milliseconds. The wait blocks the thread. */
const patience = 200

/**
 * Moves the branch durably to a commit that git fetched. The caller holds the writer lock and has checked that `to`
 * continues `from`.
 * @returns `not-there` if the branch is not at `from`, `locked` if another process held its lock
 */
export async function fastForwardBranch(
  { gitDir, stagingDir, branch }: Pick<GitDirectory, 'gitDir' | 'stagingDir'> & { readonly branch: string },
  from: Oid,
  to: Oid,
  reason: string,
): Promise<BranchMoveOutcome> {
  const signature = identityLine(serviceIdentity, toInstant(Date.now()))
  const move = { branch, from, to, reason, signature, patience }
  const prepared = prepareBranchMove(gitDir, stagingDir, move)
  try {
    // Make the names of the fetched packs durable first: a durable branch must lead to durable objects.
    syncFolder(packFolder(gitDir))
    await writeFilesDurably([prepared.file])
    const state = prepared.take()
    if (state !== 'held') return state
    prepared.install()
    return 'moved'
  } finally {
    prepared.forget()
  }
}
