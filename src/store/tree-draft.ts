import type { Oid } from '../core/values.js'
import { emptyTree, findEntry, treeMode, withEntry } from './tree.js'

/**
 * A tree of folders that is being changed in several places: each folder on the way to one of them is written once, at
 * the end.
 */
export interface TreeDraft {
  /** The directory below the root. Its own tree is not read. */
  at(names: readonly string[]): Promise<DraftDirectory>
  /** @returns the root's new tree; that of no entries where nothing is left */
  write(): Oid
}

export interface DraftDirectory {
  /** Undefined: there is none. */
  readonly tree: Oid | undefined
  /** What is no folder and lies where the directory or one above it has to be: its path, and what it is. */
  readonly obstacle: { readonly path: string; readonly oid: Oid } | undefined
  /** Puts a tree in its place, or nothing. */
  set(tree: Oid | undefined): void
}

export interface DraftTrees {
  /** Raw bytes of a tree. */
  load(oid: Oid): Promise<Buffer>
  add(bytes: Buffer): Oid
}

interface Folder {
  bytes: Buffer
  /** Folders that were opened, and may have changed. */
  readonly below: Map<string, Folder>
  changed: boolean
}

const folderOf = (bytes: Buffer): Folder => ({ bytes, below: new Map(), changed: false })

/** @param root tree of the root as it is */
export async function openTreeDraft(root: Oid, { load, add }: DraftTrees): Promise<TreeDraft> {
  const top = folderOf(await load(root))

  async function below(folder: Folder, name: string): Promise<Folder> {
    const known = folder.below.get(name)
    if (known) return known
    const entry = findEntry(folder.bytes, name)
    const opened = folderOf(entry?.mode === treeMode ? await load(entry.oid) : emptyTree)
    folder.below.set(name, opened)
    return opened
  }

  /** Writes what has changed. */
  function settle(folder: Folder): void {
    for (const [name, child] of folder.below) {
      if (!child.changed) continue
      settle(child)
      const slot = child.bytes.length === 0 ? undefined : { mode: treeMode, oid: add(child.bytes) }
      folder.bytes = withEntry(folder.bytes, name, slot)
    }
    folder.below.clear()
    folder.changed = false
  }

  return {
    async at(names) {
      const path = [top]
      let obstacle: DraftDirectory['obstacle']
      let tree: Oid | undefined
      for (const [depth, name] of names.entries()) {
        const folder = path[depth] as Folder
        // What was opened is a folder, whatever lay there before.
        const entry = folder.below.has(name) ? undefined : findEntry(folder.bytes, name)
        if (entry && entry.mode !== treeMode) {
          obstacle ??= { path: names.slice(0, depth + 1).join('/'), oid: entry.oid }
        }
        if (depth < names.length - 1) path.push(await below(folder, name))
        else tree = entry?.mode === treeMode ? entry.oid : undefined
      }
      return {
        tree,
        obstacle,
        set(made) {
          const last = path.at(-1) as Folder
          const slot = made === undefined ? undefined : { mode: treeMode, oid: made }
          last.bytes = withEntry(last.bytes, names.at(-1) as string, slot)
          for (const folder of path) folder.changed = true
        },
      }
    },
    write() {
      settle(top)
      return add(top.bytes)
    },
  }
}
