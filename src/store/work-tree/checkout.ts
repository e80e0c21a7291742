import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { overwriteFile } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { isAtServedBranch } from '../repository/head-watch.js'
import type { Repository } from '../repository/open-repository.js'
import { guardAttributes } from '../repository-folder/git-config.js'
import { openWorkerThread } from '../workers/worker-thread.js'
import { readEditBases, writeEditBases } from './edit-bases.js'
import { beginsAsIndex, type GitIndexEntry, type IndexFault, indexFault } from './index-file.js'
import type { FileUpdate } from './update-files.js'
import { damagedIndex, rebuildIndex, updateIndex } from './update-index.js'
import { type UpdatedWorkTree, updateWorkTree, type WorkTreeJob } from './update-work-tree.js'

/**
 * Number of updates and size of the index, in bytes, from which on a worker thread makes the updates. For less, a
 * message to it costs too much.
 */
const [manyUpdates, largeIndex] = [32, 1024 * 1024]

/**
 * Brings the work tree and the index up to date with the served branch. Callers hold the writer lock and
 * `.git/index.lock`. A bare repository has neither work tree nor index.
 */
export class Checkout {
  readonly #index: string
  readonly #stateFile: string
  readonly #pending = new PendingUpdates()
  readonly #thread = openWorkerThread<WorkTreeJob, UpdatedWorkTree>(
    new URL('./update-files-thread.js', import.meta.url),
  )
  /** State of the index after the last refresh. */
  #indexState: string | undefined
  #isApplying: boolean
  #hasStrayed: boolean

  constructor(
    private readonly repository: Repository,
    private readonly report: (line: string) => void,
  ) {
    this.#index = join(repository.gitDir, 'index')
    this.#stateFile = join(repository.ownDir, 'work-tree')
    this.#isApplying = false
    this.#hasStrayed = false
  }

  /**
   * Whether the served branch is checked out. If a user has switched to another branch, work tree and index are theirs,
   * and git updates them when the user switches back.
   */
  isServed(): boolean {
    const served = isAtServedBranch(this.repository)
    this.#hasStrayed ||= !served
    return served
  }

  /** Whether HEAD has left the served branch and come back. The caller then calls {@link back} under the index lock. */
  get isBack(): boolean {
    return this.isServed() && this.#hasStrayed
  }

  /** Records that the work tree was compared with the served branch. */
  back(): void {
    this.#hasStrayed = false
  }

  /** Records the changes of a flush for {@link applyPending}. */
  enqueue(updates: readonly FileUpdate[], head: Oid): void {
    this.#pending.add(updates, head)
  }

  /** Whether updates are pending or being applied. */
  get behind(): boolean {
    return this.#isApplying || this.#pending.size > 0
  }

  /** Size of the pending contents in bytes. */
  get waiting(): number {
    return this.#pending.bytes
  }

  /**
   * Applies the pending updates to files and index. After a failure, all these updates are pending again.
   * @returns the milliseconds that the index took, which git reads and writes as a whole
   */
  async applyPending(): Promise<number> {
    const taken = this.#pending.take()
    if (!taken) return 0
    const { updates, head } = taken
    this.#isApplying = true
    let cost: number
    try {
      cost = await this.#apply(updates, head)
    } catch (thrown) {
      this.#pending.putBack(updates)
      throw thrown
    } finally {
      this.#isApplying = false
    }
    this.recordAppliedCommit(head)
    return cost
  }

  /** The commit with which work tree and index agree, apart from changes by users; undefined if it is unknown. */
  lastAppliedCommit(): Oid | undefined {
    const text = undefinedIfMissing(() => readFileSync(this.#stateFile, 'latin1'))
    return text !== undefined && /^[0-9a-f]{40}\n$/.test(text) ? (text.trim() as Oid) : undefined
  }

  /** Stores that the work tree has all updates up to `head`. */
  recordAppliedCommit(head: Oid): void {
    // If HEAD has left the branch meanwhile, the work tree may lack updates. The stored commit stays, to find them.
    if (!this.#hasStrayed) overwriteFile(this.#stateFile, `${head}\n`)
  }

  /** Prevents git from converting the files of records by attributes. */
  guard(): void {
    const { gitDir } = this.repository
    if (guardAttributes(gitDir) !== 'added-after-others') return
    this.report(
      `Lines were added at the end of ${join(gitDir, 'info', 'attributes')}: the attributes of other lines, such as filters and line ends, do not apply to the files of records, which are stored byte for byte.`,
    )
  }

  /** Whether the index has a valid header; {@link mend} finds other damage. */
  hasIndex(): boolean {
    return beginsAsIndex(this.#index)
  }

  /**
   * Rebuilds a missing, empty or damaged index from a commit, and reports it.
   * @returns whether it was rebuilt
   */
  async mend(commit: Oid): Promise<boolean> {
    const fault = await indexFault(this.#index)
    if (fault === undefined) return false
    const { history, stagingDir } = this.repository
    await rebuildIndex(this.repository, (await history.commit(commit)).tree)
    this.report(rebuiltText(this.#index, fault, commit, stagingDir))
    return true
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }

  async #apply(updates: readonly FileUpdate[], head: Oid): Promise<number> {
    const { dir: root, gitDir, stagingDir, ownDir } = this.repository
    // Removals come first, because a folder to remove may be in the way of a new file of the same name.
    const ordered = [
      ...updates.filter(update => !update.after),
      ...(await Promise.all(updates.filter(update => update.after).map(update => this.#withBytes(update)))),
    ]
    this.guard()
    const index = this.#indexState
    const hasEditBases = readEditBases(ownDir).size > 0
    const job = { root, gitDir, stagingDir, updates: ordered, index, hasEditBases }
    const updated = this.#isLarge(ordered) ? await this.#thread.run(job) : updateWorkTree(job)
    this.#indexState = updated.index
    for (const path of updated.left) {
      this.report(
        `${path} has edits in the work tree that are not committed: left alone; the branch has a newer version.`,
      )
    }
    if (updated.index !== undefined) return updated.indexTime
    const began = performance.now()
    await this.mend(head)
    await updateIndex(this.repository, ordered, updated, (left, entries) =>
      this.#keepBases(left, entries, updated.current.keys()),
    )
    return performance.now() - began
  }

  #isLarge(updates: readonly FileUpdate[]): boolean {
    if (updates.length >= manyUpdates) return true
    return (statSync(this.#index, { throwIfNoEntry: false })?.size ?? 0) >= largeIndex
  }

  /** Reads the content of an update from the repository, if the update does not come with it. */
  async #withBytes(update: FileUpdate): Promise<FileUpdate> {
    if (update.bytes || update.after === undefined) return update
    return { ...update, bytes: (await this.repository.objects.read(update.after)).bytes }
  }

  /** Stores the bases of edited files that were skipped. If an edit has a base already, it keeps that. */
  #keepBases(
    left: readonly FileUpdate[],
    entries: ReadonlyMap<string, GitIndexEntry>,
    current: Iterable<string>,
  ): void {
    const { ownDir } = this.repository
    const bases = new Map(readEditBases(ownDir))
    if (left.length === 0 && bases.size === 0) return
    for (const path of current) bases.delete(path)
    for (const { path, before } of left) {
      const entry = entries.get(path)
      // The user has checked the file out since an earlier update skipped it, so this is another edit.
      const isAnother = entry?.seen === true && before.includes(entry.blob)
      if (!bases.has(path) || isAnother)
        bases.set(path, { path, blob: before[0], commit: this.lastAppliedCommit() })
    }
    writeEditBases(ownDir, bases.values())
  }
}

/** Message about a rebuilt index. */
function rebuiltText(index: string, fault: IndexFault, commit: Oid, stagingDir: string): string {
  const file = join(basename(stagingDir), damagedIndex)
  const kept = fault === 'damaged' ? `The damaged file is kept as ${file}. ` : ''
  return (
    `${index} was ${fault}; it was rebuilt from commit ${commit.slice(0, 10)}. ${kept}` +
    'Edits of files are unchanged; changes that were staged and not committed have to be staged again.'
  )
}

/** File updates that the work tree does not have yet, one for each path. */
class PendingUpdates {
  #byPath = new Map<string, FileUpdate>()
  #bytes = 0
  #head: Oid | undefined

  get size(): number {
    return this.#byPath.size
  }

  /** Size of the contents of all updates in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds updates, each on top of an earlier one of the same file. @param head the commit after these updates */
  add(updates: Iterable<FileUpdate>, head: Oid | undefined): void {
    for (const update of updates) {
      const known = this.#byPath.get(update.path)
      this.#bytes += (update.bytes?.length ?? 0) - (known?.bytes?.length ?? 0)
      this.#byPath.set(
        update.path,
        known ? { ...update, before: [...known.before, ...update.before] } : update,
      )
    }
    this.#head = head ?? this.#head
  }

  /** Removes and returns all updates, and the commit after them; undefined if there are none. */
  take(): { readonly updates: readonly FileUpdate[]; readonly head: Oid } | undefined {
    if (this.#byPath.size === 0 || this.#head === undefined) return undefined
    const updates = [...this.#byPath.values()]
    this.#byPath.clear()
    this.#bytes = 0
    return { updates, head: this.#head }
  }

  /** Puts updates back that could not be applied, before the updates that were added since. */
  putBack(updates: readonly FileUpdate[]): void {
    const later = [...this.#byPath.values()]
    this.#byPath.clear()
    this.#bytes = 0
    this.add([...updates, ...later], undefined)
  }
}
