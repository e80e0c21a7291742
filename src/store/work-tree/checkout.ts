import { readdirSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { replaceFileAtomically, undefinedIfMissing } from '../file-system/durable-files.js'
import { staleAfter } from '../packs/remove-stale-files.js'
import { openWorkerThread } from '../process/worker-thread.js'
import { guardAttributes } from '../repository/git-attributes.js'
import { isAtServedBranch } from '../repository/head-watch.js'
import type { Repository } from '../repository/open-repository.js'
import { readEditBases, writeEditBases } from './edit-bases.js'
import type { IndexEntry } from './index-entries.js'
import { beginsAsIndex, type IndexFault, indexFault } from './index-file.js'
import { type FileUpdate, type UpdatedFiles, updateFiles } from './update-files.js'
import type { WorkTreeJob } from './update-files-thread.js'
import { damagedIndex, rebuildIndex, updateIndex } from './update-index.js'

/**
 * The work tree and the index, following the branch. All calls need the writer lock and `.git/index.lock`; a bare
 * repository has none of this.
 */
export interface Checkout {
  /**
   * Whether the served branch is the one that is checked out. A person may have switched to another: work tree and
   * index are then theirs, and Git brings ours back when they return.
   */
  isServed(): boolean
  /** HEAD was found elsewhere, and is back at the served branch: {@link back} has to be called, under the index lock. */
  readonly isBack: boolean
  /** The work tree has been compared with the served branch. */
  back(): void
  /** Says what a flush changed; {@link applyPending} then has it to do. */
  enqueue(updates: readonly FileUpdate[], head: Oid): void
  /** Whether anything is noted that work tree and index do not have yet; true also while it is being brought. */
  readonly behind: boolean
  /** Bytes of content waiting. */
  readonly waiting: number
  /**
   * Brings files and index up to what was noted. After a failure everything is still noted.
   * @returns milliseconds the index took, which is read and written whole for one path as for thousands
   */
  applyPending(): Promise<number>
  /** The commit the work tree and the index reflect, as far as this server's updates go. */
  lastAppliedCommit(): Oid | undefined
  /** Remembers that nothing of ours is missing up to `head`. */
  recordAppliedCommit(head: Oid): void
  /** Keeps git from converting the files of records by attributes. */
  guard(): void
  /** Whether the index begins as one does; damage further on is found by {@link mend}. */
  hasIndex(): boolean
  /**
   * Makes the index anew from a commit where it is missing, empty or damaged, and reports it.
   * @returns whether it was
   */
  mend(commit: Oid): Promise<boolean>
  close(): Promise<void>
}

/** Updates from which a thread of its own is worth it. */
const manyUpdates = 32

export function openCheckout(repository: Repository, report: (line: string) => void): Checkout {
  const { dir, gitDir, ownDir, stagingDir, git, objects, history } = repository
  const place = { git, gitDir, stagingDir, workTree: dir }
  const index = join(gitDir, 'index')
  const stateFile = join(ownDir, 'work-tree')
  let pending = new Map<string, FileUpdate>()
  let waiting = 0
  let newest: Oid | undefined
  let bringing = false
  let strayed = false
  const threaded = openWorkerThread<WorkTreeJob, UpdatedFiles>(
    new URL('./update-files-thread.js', import.meta.url),
  )

  function add(update: FileUpdate): void {
    const known = pending.get(update.path)
    waiting += (update.bytes?.length ?? 0) - (known?.bytes?.length ?? 0)
    pending.set(update.path, known ? { ...update, before: [...known.before, ...update.before] } : update)
  }

  /** A blob the repository had already, under another path or in an older version, does not come with the update. */
  async function withBytes(update: FileUpdate): Promise<FileUpdate> {
    if (update.bytes || update.after === undefined) return update
    return { ...update, bytes: (await objects.read(update.after)).bytes }
  }

  async function bring(updates: readonly FileUpdate[], head: Oid): Promise<number> {
    // Removals first: a folder may be in the way of a file of the same name.
    const ordered = [
      ...updates.filter(update => !update.after),
      ...(await Promise.all(updates.filter(update => update.after).map(withBytes))),
    ]
    const job = { root: dir, stagingDir, updates: ordered }
    const brought =
      ordered.length < manyUpdates ? updateFiles(dir, stagingDir, ordered) : await threaded.run(job)
    for (const path of brought.left) {
      report(
        `${path} has edits in the work tree that are not committed: left alone; the branch has a newer version.`,
      )
    }
    const began = performance.now()
    guard()
    await mend(head)
    await updateIndex(place, ordered, brought, (left, entries) =>
      keepBases(left, entries, brought.current.keys()),
    )
    return performance.now() - began
  }

  /** An edit keeps the base it began with, however many updates pass it by. */
  function keepBases(
    left: readonly FileUpdate[],
    entries: ReadonlyMap<string, IndexEntry>,
    current: Iterable<string>,
  ): void {
    const bases = new Map(readEditBases(ownDir))
    if (left.length === 0 && bases.size === 0) return
    for (const path of current) bases.delete(path)
    for (const { path, before } of left) {
      const entry = entries.get(path)
      // Checked out since an update passed it by: the edit before that is gone, and this one began later.
      const isAnother = entry?.seen === true && before.includes(entry.blob)
      if (!bases.has(path) || isAnother)
        bases.set(path, { path, blob: before[0], commit: lastAppliedCommit() })
    }
    writeEditBases(ownDir, bases.values())
  }

  function lastAppliedCommit(): Oid | undefined {
    const text = undefinedIfMissing(() => readFileSync(stateFile, 'latin1'))
    return text !== undefined && /^[0-9a-f]{40}\n$/.test(text) ? (text.trim() as Oid) : undefined
  }

  function guard(): void {
    if (guardAttributes(gitDir) !== 'added-after-others') return
    report(
      `Lines were added at the end of ${join(gitDir, 'info', 'attributes')}: the attributes of other lines, such as filters and line ends, do not apply to the files of records, which are stored byte for byte.`,
    )
  }

  async function mend(commit: Oid): Promise<boolean> {
    const fault = await indexFault(index)
    if (fault === undefined) return false
    await rebuildIndex(place, objects, (await history.commit(commit)).tree)
    report(rebuiltText(index, fault, commit, stagingDir))
    return true
  }

  function recordAppliedCommit(head: Oid): void {
    // What came while HEAD was elsewhere may be missing: it is found from the commit that is remembered.
    if (strayed) return
    replaceFileAtomically(stateFile, `${head}\n`)
  }

  function isServed(): boolean {
    const served = isAtServedBranch(repository)
    strayed ||= !served
    return served
  }

  return {
    isServed,
    get isBack() {
      return isServed() && strayed
    },
    back() {
      strayed = false
    },
    enqueue(updates, head) {
      for (const update of updates) add(update)
      newest = head
    },
    get behind() {
      return bringing || pending.size > 0
    },
    get waiting() {
      return waiting
    },
    async applyPending() {
      const [updates, head] = [pending, newest]
      if (updates.size === 0 || head === undefined) return 0
      const size = waiting
      pending = new Map()
      waiting = 0
      bringing = true
      let cost: number
      try {
        cost = await bring([...updates.values()], head)
      } catch (thrown) {
        const later = pending
        pending = updates
        waiting = size
        for (const update of later.values()) add(update)
        throw thrown
      } finally {
        bringing = false
      }
      recordAppliedCommit(head)
      return cost
    },
    lastAppliedCommit,
    recordAppliedCommit,
    guard,
    hasIndex: () => beginsAsIndex(index),
    mend,
    async close() {
      await threaded.close()
    },
  }
}

/** What a person reads of an index that was made anew. */
function rebuiltText(index: string, fault: IndexFault, commit: Oid, stagingDir: string): string {
  const file = join(basename(stagingDir), damagedIndex)
  const kept = fault === 'damaged' ? `The damaged file is kept as ${file}. ` : ''
  return (
    `${index} was ${fault}; it was rebuilt from commit ${commit.slice(0, 10)}. ${kept}` +
    'Edits of files are still there; what was staged with `git add` and not committed has to be staged again.'
  )
}

/** Milliseconds after which a file that is written without the writer lock is nobody's any more. */
const abandoned = 60_000

/** Removes temporary files that a killed process has left in our own folder. Only the holder of the writer lock may. */
export function clearTemporaryFiles(ownDir: string): void {
  for (const name of readdirSync(ownDir)) {
    const path = join(ownDir, name)
    // Of the work tree it may be a folder with its files.
    if (/^(checkout|new|probe)-[0-9a-f]{12}(\.pack|\.idx|\.keep)?$/.test(name))
      rmSync(path, { recursive: true })
    // Another process may be writing it, or have renamed it since.
    else if (/^(info|hook)-[0-9a-f]{12}$/.test(name) && isAbandoned(path, abandoned))
      undefinedIfMissing(() => unlinkSync(path))
    // Looking for damage reads all there is.
    else if (/^look-[0-9a-f]{12}$/.test(name) && isAbandoned(path, staleAfter))
      rmSync(path, { recursive: true })
  }
}

function isAbandoned(path: string, after: number): boolean {
  const changed = undefinedIfMissing(() => statSync(path).mtimeMs)
  return changed !== undefined && Date.now() - changed > after
}
