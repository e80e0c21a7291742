import { readdirSync, readFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissing } from '../file-system/durable-files.js'
import { removeStaleLockFiles } from '../locks/lock-file.js'
import { blobAt } from '../objects/blob-at-path.js'
import { fileMode } from '../objects/tree-editor.js'
import { keepMark } from '../packs/pack-writer.js'
import { gitFailure } from '../process/git-failure.js'
import { readWithGit } from '../process/git-read-command.js'
import type { Repository } from '../repository/open-repository.js'
import { stagingFolders } from '../repository/staging-folder.js'
import type { Checkout } from '../work-tree/checkout.js'
import { indexFault } from '../work-tree/index-file.js'
import { clearTemporaryFiles } from '../work-tree/temporary-files.js'
import type { FileUpdate } from '../work-tree/update-files.js'

export interface Recovery {
  readonly repository: Repository
  /** Undefined where the repository is bare. */
  readonly checkout: Checkout | undefined
  readonly report: (line: string) => void
  readonly takeIndexLock: () => Promise<void>
}

/**
 * Clears up after a process of ours that was killed, at whatever point. Only the holder of the writer lock may call
 * it, before it takes any other lock: what is still there then belongs to nobody alive.
 *
 * Locks and temporary files are removed. What the branch has and the work tree lacks is noted on the checkout; files
 * and index entries that a person has changed stay as they are.
 */
export async function recoverFromCrash({
  repository,
  checkout,
  report,
  takeIndexLock,
}: Recovery): Promise<void> {
  const { gitDir } = repository
  for (const folder of stagingFolders(repository)) {
    removeStaleLockFiles(gitDir, folder)
    clearTemporaryFiles(folder)
  }
  clearKeeps(gitDir)
  if (!checkout) return
  checkout.guard()
  // The files and the index are those of another branch. When HEAD comes back, Git brings ours.
  if (!checkout.isServed()) return
  const head = await repository.head()
  const reflected = checkout.lastAppliedCommit()
  await mendIndex(repository, checkout, takeIndexLock, reflected, head)
  if (reflected === head) return
  // Without a note of ours the repository was just made or cloned: Git checked it out.
  if (reflected === undefined) return checkout.recordAppliedCommit(head)
  if (!(await repository.objects.has(reflected))) return checkout.recordAppliedCommit(head)
  const updates = await missingFrom(repository, reflected, head)
  if (updates.length === 0) return checkout.recordAppliedCommit(head)
  report(
    `Bringing the work tree up to date with ${updates.length} files that were committed before the last stop.`,
  )
  await takeIndexLock()
  checkout.enqueue(updates, head)
}

/** The files of the work tree are those of the commit it reflects: the index is made anew from the same one. */
async function mendIndex(
  { gitDir, history, objects }: Repository,
  checkout: Checkout,
  takeIndexLock: () => Promise<void>,
  reflected: Oid | undefined,
  head: Oid,
): Promise<void> {
  if ((await indexFault(join(gitDir, 'index'))) === undefined) return
  await takeIndexLock()
  const isKnown =
    reflected !== undefined &&
    (await objects.has(reflected)) &&
    ['same', 'ahead'].includes(await history.relation(reflected, head))
  await checkout.mend(isKnown ? reflected : head)
}

/** Lets go of packs that were being written when a process was killed. */
function clearKeeps(gitDir: string): void {
  const folder = join(gitDir, 'objects', 'pack')
  for (const name of undefinedIfMissing(() => readdirSync(folder)) ?? []) {
    if (!name.endsWith('.keep')) continue
    const path = join(folder, name)
    if (undefinedIfMissing(() => readFileSync(path, 'latin1')) === keepMark)
      undefinedIfMissing(() => unlinkSync(path))
  }
}

/**
 * What the branch has and the index lacks, as updates of the work tree. Files are always brought before the index, so
 * an index entry that is up to date has its file.
 */
export async function missingFrom(repository: Repository, from: Oid, to: Oid): Promise<FileUpdate[]> {
  const behind = repository.git ? await unlikeIndex(repository, repository.git, to) : undefined
  if (behind?.length === 0) return []
  return await workTreeUpdatesBetween(repository, from, to, behind)
}

/**
 * What a work tree at `from` needs to be at `to`, which continues it.
 * @param only these paths; default: all
 */
export async function workTreeUpdatesBetween(
  repository: Repository,
  from: Oid,
  to: Oid,
  only?: readonly string[],
): Promise<FileUpdate[]> {
  const { objects, history } = repository
  const passed = await blobsBetween(repository, from, to, only)
  const [old, now] = [await history.commit(from), await history.commit(to)]
  const updates: FileUpdate[] = []
  for (const [path, between] of passed) {
    const before = await blobAt(objects, old.tree, path)
    const after = await blobAt(objects, now.tree, path)
    // What it held on the way counts too: the kill may have come between the files and the index of a flush.
    updates.push({ path, before: [before, ...between], after, bytes: undefined })
  }
  return updates
}

/** @see git-diff-index(1), "--cached": only the index is looked at, not the files */
async function unlikeIndex({ gitDir }: Repository, git: string, head: Oid): Promise<string[]> {
  const args = ['diff-index', '--cached', '--name-only', '--no-renames', '-z', head]
  const { code, stdout, stderr } = await readWithGit(git, gitDir, args)
  if (code !== 0) throw gitFailure('diff-index', stderr || `exit code ${code}`)
  return stdout
    .toString()
    .split('\0')
    .filter(path => path !== '')
}

/**
 * The blobs that paths got in the commits between, for these paths or for all. Paths that are no plain files in the end
 * are left out: none of ours are.
 */
async function blobsBetween(
  { history }: Repository,
  from: Oid,
  to: Oid,
  only: readonly string[] | undefined,
): Promise<ReadonlyMap<string, readonly (Oid | undefined)[]>> {
  const passed = new Map<string, (Oid | undefined)[]>()
  const others = new Set<string>()
  if ((await history.relation(from, to)) !== 'ahead') return passed
  const wanted = only && new Set(only)
  for await (const { changes } of history.walk(from, to)) {
    for (const { path, after, mode } of changes) {
      if (wanted && !wanted.has(path)) continue
      const blobs = passed.get(path)
      if (blobs) blobs.push(after)
      else passed.set(path, [after])
      if (after === undefined || mode === fileMode) others.delete(path)
      else others.add(path)
    }
  }
  for (const path of others) passed.delete(path)
  return passed
}
