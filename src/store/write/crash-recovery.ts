import { readdirSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissing, undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { linesOf, outputOf } from '../git-commands/git-command.js'
import { packFolder } from '../git-commands/git-directory.js'
import { readWithGit } from '../git-commands/retry-while-packs-change.js'
import { removeStaleLockFiles } from '../locks/lock-file.js'
import { hasObject } from '../objects/object-reader.js'
import { blobAt, fileMode } from '../objects/tree-format.js'
import { isUnfinishedPack } from '../packs/list-packs.js'
import { keepMark } from '../packs/pack-writer.js'
import type { Repository } from '../repository/open-repository.js'
import { stagingFolders } from '../repository-folder/staging-folder.js'
import type { Checkout } from '../work-tree/checkout.js'
import { indexFault } from '../work-tree/index-file.js'
import type { FileUpdate } from '../work-tree/update-files.js'

interface Recovery {
  readonly repository: Repository
  /** Undefined: the repository is bare. */
  readonly checkout: Checkout | undefined
  readonly report: (line: string) => void
  readonly takeIndexLock: () => Promise<void>
}

/**
 * Removes the locks and temporary files of killed git-metastore processes. The caller holds the writer lock and no
 * other lock, so all remaining locks are stale.
 *
 * Enqueues updates that the work tree lacks. Files and index entries with user edits do not change.
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
  // Files and index belong to another branch. Git checks out the served branch when HEAD comes back.
  if (!checkout.isServed()) return
  const head = await repository.head()
  const reflected = checkout.lastAppliedCommit()
  await mendIndex(repository, checkout, takeIndexLock, reflected, head)
  if (reflected === head) return
  // Without a stored commit, the repository was just created or cloned, so git has checked out the head.
  const isKnown = reflected !== undefined && (await hasObject(repository.objects, reflected))
  const updates = isKnown ? await missingFrom(repository, reflected, head) : []
  if (updates.length === 0) return checkout.recordAppliedCommit(head)
  report(
    `Bringing the work tree up to date with ${updates.length} files that were committed before the last stop.`,
  )
  await takeIndexLock()
  checkout.enqueue(updates, head)
}

/** Rebuilds a damaged index from the commit that the files reflect. */
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
    (await hasObject(objects, reflected)) &&
    ['same', 'ahead'].includes(await history.relation(reflected, head))
  await checkout.mend(isKnown ? reflected : head)
}

/** Removes `.keep` files of killed processes. */
function clearKeeps(gitDir: string): void {
  const folder = packFolder(gitDir)
  for (const name of undefinedIfMissing(() => readdirSync(folder)) ?? []) {
    if (!name.endsWith('.keep')) continue
    const path = join(folder, name)
    if (undefinedIfMissing(() => readFileSync(path, 'latin1')) === keepMark)
      undefinedIfMissing(() => unlinkSync(path))
  }
}

/**
 * The updates that the work tree lacks. Found by the index, because index entries are updated after their files.
 */
export async function missingFrom(repository: Repository, from: Oid, to: Oid): Promise<FileUpdate[]> {
  const behind = repository.git ? await entriesUnlikeHead(repository, repository.git, to) : undefined
  if (behind?.size === 0) return []
  return await workTreeUpdatesBetween(repository, from, to, behind && [...behind.keys()])
}

/**
 * Lists the file updates that move a work tree from the commit `from` to its descendant `to`. Each update accepts every
 * state that its file had between the two. The list is empty if `to` is no descendant.
 * @param only limits the paths; default: all
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
    // Intermediate states count too: a kill may have come between the files and the index of a flush.
    updates.push({ path, before: [before, ...between], after, bytes: undefined })
  }
  return updates
}

/**
 * The index entries that differ from the head: their blobs by path, undefined for no entry, zeros in a merge conflict. Does
 * not read the files.
 * @see git-diff-index(1), "--cached"
 */
export async function entriesUnlikeHead(
  { gitDir }: Repository,
  git: string,
  head: Oid,
): Promise<ReadonlyMap<string, Oid | undefined>> {
  const args = ['diff-index', '--cached', '--no-renames', '-z', head]
  const fields = linesOf(outputOf(await readWithGit(git, gitDir, args), 'diff-index'), '\0')
  const entries = new Map<string, Oid | undefined>()
  // Each path follows a field with the modes before and after, the blobs before and after, and the status.
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, , , blob, status] = (fields[at] as string).split(' ')
    entries.set(fields[at + 1] as string, status === 'D' ? undefined : (blob as Oid))
  }
  return entries
}

/**
 * The blobs that paths have had in the commits after `from`. Omits paths that are not plain files in the end, which are
 * never part of a record.
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

/** Milliseconds after which a file that is written without the writer lock counts as abandoned. */
const abandonedAfter = 60_000

/** Removes temporary files of killed processes from our own folder. The caller holds the writer lock. */
export function clearTemporaryFiles(ownDir: string): void {
  for (const name of readdirSync(ownDir)) {
    const path = join(ownDir, name)
    // A `checkout-` entry may be a folder with files. A process may remove its spare files meanwhile.
    if (/^(checkout|new|probe)-[0-9a-f]{12}(\.pack|\.idx|\.keep)?$/.test(name))
      rmSync(path, { recursive: true, force: true })
    // Another process may be writing the file, or have renamed it.
    else if (/^(info|hook)-[0-9a-f]{12}$/.test(name) && isOlder(path, abandonedAfter))
      undefinedIfMissing(() => unlinkSync(path))
    // A search for damage reads the whole repository, so it may take hours.
    else if (/^look-[0-9a-f]{12}$/.test(name) && isOlder(path, staleAfter)) rmSync(path, { recursive: true })
  }
}

function isOlder(path: string, age: number): boolean {
  const changed = undefinedIfMissing(() => statSync(path).mtimeMs)
  return changed !== undefined && Date.now() - changed > age
}

/** Milliseconds without a write after which a temporary file of git counts as abandoned. */
const staleAfter = 24 * 60 * 60 * 1000

/** Removes stale temporary files of git once a day, in the background. */
export class StaleFileRemoval {
  #removing: Promise<void> | undefined
  /** Time of the last removal, by `performance.now()`. */
  #removedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly gitDir: string,
    private readonly report: (line: string) => void,
  ) {}

  /** Starts a removal if it is due and none is running. */
  removeIfDue(): void {
    if (this.#removing || performance.now() - this.#removedAt <= staleAfter) return
    this.#removedAt = performance.now()
    this.#removing = this.#remove().finally(() => {
      this.#removing = undefined
    })
  }

  /** Resolves when nothing is running. */
  async settled(): Promise<void> {
    await this.#removing
  }

  async #remove(): Promise<void> {
    try {
      await removeStaleFiles(this.gitDir)
    } catch (thrown) {
      this.report(`Abandoned temporary files of git could not be removed: ${String(thrown)}`)
    }
  }
}

/**
 * Removes abandoned temporary files of git: incomplete packs and objects, and quarantine folders of pushes.
 * @see git-prune(1), which removes them too
 */
async function removeStaleFiles(gitDir: string): Promise<void> {
  const objects = join(gitDir, 'objects')
  const names = await readdir(objects)
  const fans = names.filter(name => /^[0-9a-f]{2}$/.test(name)).map(name => join(objects, name))
  const places = [
    ...names.filter(name => name.startsWith('tmp_objdir-')).map(name => join(objects, name)),
    ...(await entriesOf(packFolder(gitDir), isUnfinishedPack)),
    ...(await Promise.all(fans.map(folder => entriesOf(folder, name => name.startsWith('tmp_obj_'))))).flat(),
  ]
  for (const place of places) {
    if ((await lastWritten(place)) < Date.now() - staleAfter) {
      await rm(place, { recursive: true, force: true })
    }
  }
}

async function entriesOf(folder: string, isWanted: (name: string) => boolean): Promise<readonly string[]> {
  const names = (await undefinedIfMissingAsync(readdir(folder))) ?? []
  return names.filter(isWanted).map(name => join(folder, name))
}

/** Time of the last change of a file, or of anything in a folder, in milliseconds since 1970. */
async function lastWritten(place: string): Promise<number> {
  const found = await undefinedIfMissingAsync(lstat(place))
  if (found === undefined) return Number.POSITIVE_INFINITY
  if (!found.isDirectory()) return found.mtimeMs
  const within = await entriesOf(place, () => true)
  return Math.max(found.mtimeMs, ...(await Promise.all(within.map(lastWritten))).filter(Number.isFinite))
}
