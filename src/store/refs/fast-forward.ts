import { type Oid, toInstant } from '../../core/value-types.js'
import { syncDirectory, writeFilesDurably } from '../file-system/durable-files.js'
import { identityLine, serviceIdentity } from '../objects/commit-encoder.js'
import type { GitDirectory } from '../process/git-directory.js'
import { packDirectory } from '../process/git-directory.js'
import { type BranchMoveOutcome, prepareBranchMove } from './compare-and-swap.js'

/** Milliseconds to wait for somebody else's lock on the branch; nothing else happens meanwhile. */
const patience = 200

/**
 * Moves the branch to a commit that git has brought, durably. Only in the writer's turn.
 * @returns `not-there` where the branch is not at `from`, `locked` where somebody else held its lock
 */
export async function fastForwardBranch(
  { gitDir, stagingDir, branch }: Pick<GitDirectory, 'gitDir' | 'stagingDir'> & { readonly branch: string },
  from: Oid,
  to: Oid,
  reason: string,
): Promise<BranchMoveOutcome> {
  const who = identityLine(serviceIdentity, toInstant(Date.now()))
  const prepared = prepareBranchMove(gitDir, stagingDir, {
    branch,
    from,
    to,
    reason,
    signature: who,
    patience,
  })
  try {
    // A durable branch never leads to what is not.
    syncDirectory(packDirectory(gitDir))
    await writeFilesDurably([prepared.value])
    const state = prepared.hold()
    if (state !== 'held') return state
    prepared.make()
    return 'moved'
  } finally {
    prepared.forget()
  }
}
