import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ProblemError } from '../../../core/problem.js'
import type { Id } from '../../../core/value-types.js'
import { undefinedIfMissing } from '../../../store/file-system/file-errors.js'
import { linesOf } from '../../../store/git-commands/git-command.js'
import { packFolder } from '../../../store/git-commands/git-directory.js'
import { unusableRepository } from '../../../store/repository-folder/inspect-folder.js'
import { unfinishedPurge } from '../../../store/repository-folder/unfinished-purge.js'
import { conflict, inWorkTree, named, type PurgeRepository, pathspecs } from './purge-commands.js'

/**
 * Checks that a purge can remove the record from all objects: no unfinished purge of another record, no objects of
 * other repositories, no linked work trees, no kept packs, and no uncommitted edits.
 * @throws ProblemError `conflict`, `unusable-repository`
 */
export async function checkPurgePreconditions(place: PurgeRepository, id: Id): Promise<void> {
  const { dir, gitDir, ownDir } = place
  const unfinished = unfinishedPurge(ownDir)
  if (unfinished !== undefined && unfinished !== id) {
    throw new ProblemError('conflict', `A purge of "${unfinished}" is unfinished. Run it again first.`)
  }
  if (existsSync(join(gitDir, 'objects', 'info', 'alternates'))) {
    throw unusableRepository(
      `${dir} borrows objects from another repository, from which nothing can be purged here. Make it whole with ` +
        `\`git -C ${dir} repack -a -d\` and remove objects/info/alternates.`,
    )
  }
  const worktrees = undefinedIfMissing(() => readdirSync(join(gitDir, 'worktrees'))) ?? []
  if (worktrees.length > 0) {
    throw conflict(`There are linked work trees (${named(worktrees)}). Remove them with git worktree remove.`)
  }
  const kept = readdirSync(packFolder(gitDir)).filter(name => /\.(?:keep|promisor)$/.test(name))
  if (kept.length > 0) {
    throw conflict(`Packs that git must not touch may hold it: ${named(kept)} in ${packFolder(gitDir)}.`)
  }
  if (unfinished === undefined) await refuseEdits(place, id)
}

/** Files that exist during an unfinished merge or similar operation of git. */
const underWay = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG', 'sequencer']

async function refuseEdits(place: PurgeRepository, id: Id): Promise<void> {
  if (place.bare) return
  const under = underWay.filter(name => existsSync(join(place.gitDir, name)))
  if (under.length > 0)
    throw conflict(`Git is in the middle of something (${named(under)}). Finish it first.`)
  const status = await inWorkTree(place, ['status', '--porcelain=v1', '-z', '--no-renames'])
  const edited = linesOf(status, '\0').map(entry => entry.slice(3))
  // These include files that git ignores.
  const others = linesOf(
    await inWorkTree(place, ['ls-files', '-z', '--others', '--', ...pathspecs(id)]),
    '\0',
  )
  const all = [...new Set([...edited, ...others])]
  if (all.length > 0) {
    throw conflict(`The work tree has edits: ${named(all)}. Commit them, or move them away.`)
  }
}
