import type { Oid } from '../../core/value-types.js'
import { emptyTreeBytes, findTreeEntry, setTreeEntry, treeMode } from './tree-editor.js'

/**
 * A tree of folders that is being changed in several places: each folder on the way to one of them is written once, at
 * the end.
 */
export interface TreeBuilder {
  /** The directory below the root. Its own tree is not read. */
  at(names: readonly string[]): Promise<BuilderDirectory>
  /** @returns the root's new tree; that of no entries where nothing is left */
  write(): Oid
}

export interface BuilderDirectory {
  /** Undefined: there is none. */
  readonly tree: Oid | undefined
  /** What is no folder and lies where the directory or one above it has to be: its path, and what it is. */
  readonly obstacle: { readonly path: string; readonly oid: Oid } | undefined
  /** Puts a tree in its place, or nothing. */
  set(tree: Oid | undefined): void
}

export interface TreeSource {
  /** Raw bytes of a tree, where they are in memory. */
  known(oid: Oid): Buffer | undefined
  load(oid: Oid): Promise<Buffer>
  /** @param before the tree it takes the place of */
  add(bytes: Buffer, before?: Oid): Oid
}

interface Folder {
  /** Undefined: there was none. */
  readonly before: Oid | undefined
  bytes: Buffer
  /** Folders that were opened, and may have changed: few, of which the layout makes sixteen at most. */
  readonly below: { readonly name: string; readonly folder: Folder }[]
  changed: boolean
}

function folderOf(before: Oid | undefined, bytes: Buffer): Folder {
  return { before, bytes, below: [], changed: false }
}

/** @param root tree of the root as it is */
export async function openTreeBuilder(root: Oid, { known, load, add }: TreeSource): Promise<TreeBuilder> {
  const top = folderOf(root, known(root) ?? (await load(root)))

  /** Writes what has changed. */
  function settle(folder: Folder): void {
    for (const { name, folder: child } of folder.below) {
      if (!child.changed) continue
      settle(child)
      const slot =
        child.bytes.length === 0 ? undefined : { mode: treeMode, oid: add(child.bytes, child.before) }
      folder.bytes = setTreeEntry(folder.bytes, name, slot)
    }
    folder.below.length = 0
    folder.changed = false
  }

  return {
    async at(names) {
      const path = [top]
      let obstacle: BuilderDirectory['obstacle']
      let tree: Oid | undefined
      for (let depth = 0; depth < names.length; depth++) {
        const name = names[depth] as string
        const folder = path[depth] as Folder
        // What was opened is a folder, whatever lay there before.
        let child = folder.below.find(one => one.name === name)?.folder
        const entry = child ? undefined : findTreeEntry(folder.bytes, name)
        const found = entry?.mode === treeMode ? entry.oid : undefined
        if (entry && found === undefined) {
          obstacle ??= { path: names.slice(0, depth + 1).join('/'), oid: entry.oid }
        }
        if (depth === names.length - 1) {
          tree = found
          continue
        }
        if (!child) {
          // A promise only where one is needed: most trees are known, and an update opens five.
          child = folderOf(
            found,
            found === undefined ? emptyTreeBytes : (known(found) ?? (await load(found))),
          )
          folder.below.push({ name, folder: child })
        }
        path.push(child)
      }
      return {
        tree,
        obstacle,
        set(made) {
          const last = path.at(-1) as Folder
          const slot = made === undefined ? undefined : { mode: treeMode, oid: made }
          last.bytes = setTreeEntry(last.bytes, names.at(-1) as string, slot)
          for (const folder of path) folder.changed = true
        },
      }
    },
    write() {
      settle(top)
      return add(top.bytes, top.before)
    },
  }
}
