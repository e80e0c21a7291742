import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { readIfRegular } from '../file-system/regular-files.js'
import { hashObject } from '../objects/hash-object.js'
import { hasObject } from '../objects/object-reader.js'
import { parseRecordPath } from '../records/repository-layout.js'
import type { Repository } from '../repository/open-repository.js'
import { indexFault } from '../work-tree/index-file.js'
import type { FileUpdate } from '../work-tree/update-files.js'
import { entriesUnlikeHead, workTreeUpdatesBetween } from './crash-recovery.js'

/*
 * `git commit` reads the index before it takes `.git/index.lock`. If our updates come in between, it writes an index
 * without them, and fails because the branch has moved. The next commit of that index would undo the updates.
 * @see https://github.com/git/git/blob/v2.39.5/builtin/commit.c, `prepare_index`
 */

/** Age in milliseconds of the oldest updates that are looked for: git takes less between reading and locking. */
const maxAge = 60_000
/** Limit of the commits that are looked at. */
const maxCommits = 5000

/**
 * Finds recent updates of records that the index has lost, although the work tree has them.
 * @param reflected the commit with which work tree and index agreed
 */
export async function updatesLostFromIndex(
  repository: Repository,
  reflected: Oid,
): Promise<readonly FileUpdate[]> {
  const { git, gitDir, objects, dir } = repository
  // Without git on this machine, nobody commits here. A damaged index is rebuilt from the branch.
  if (git === undefined || (await indexFault(join(gitDir, 'index'))) !== undefined) return []
  if (!(await hasObject(objects, reflected))) return []
  const entries = await entriesUnlikeHead(repository, git, reflected)
  const paths = [...entries.keys()].filter(parseRecordPath)
  if (paths.length === 0) return []
  const from = await recentAncestor(repository, reflected)
  const lost: FileUpdate[] = []
  for (const update of await workTreeUpdatesBetween(repository, from, reflected, paths)) {
    // Any other entry was staged by a user.
    if (!update.before.includes(entries.get(update.path))) continue
    // A user who removes a file, or takes an update back, changes the file, too. Who takes back the entry alone, with
    // `git rm --cached`, within the age of the updates, gets it back.
    const bytes = await undefinedIfMissingAsync(readIfRegular(dir, update.path))
    if ((bytes && hashObject('blob', bytes)) === update.after) lost.push(update)
  }
  return lost
}

/** The newest first-parent ancestor that is older than the updates, or the last one within the limit. */
async function recentAncestor({ history }: Repository, commit: Oid): Promise<Oid> {
  const oldest = Date.now() - maxAge
  let found = commit
  for (let count = 0; count < maxCommits; count++) {
    const { parents, committedAt } = await history.commit(found)
    const [parent] = parents
    if (parent === undefined || committedAt < oldest) break
    found = parent
  }
  return found
}
