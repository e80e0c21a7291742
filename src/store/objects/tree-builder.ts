import type { Oid } from '../../core/value-types.js'
import { emptyTreeBytes, findTreeEntry, setTreeEntry, treeMode } from './tree-format.js'

/**
 * Changes several places of a tree and writes each changed folder once, at the end.
 */
export interface TreeBuilder {
  /**
   * Opens a folder below the root, without reading the tree of the folder. If a folder is opened, do not `set` a folder
   * above it: `write` would overwrite the tree that was set there.
   */
  at(names: readonly string[]): Promise<BuilderFolder>
  /** @returns the new tree of the root; the empty tree if no entry is left */
  write(): Oid
}

interface BuilderFolder {
  /** Tree of the folder; undefined if the folder does not exist. */
  readonly tree: Oid | undefined
  /** An entry that is not a folder, but has the name of the folder or of one of its parents. */
  readonly obstacle: { readonly path: string; readonly oid: Oid } | undefined
  /** Replaces the folder; undefined removes it. */
  set(tree: Oid | undefined): void
}

export interface TreeSource {
  /** Raw bytes of a tree. */
  read(oid: Oid): Promise<Buffer>
  /** Adds a tree. @param before the tree that the new one replaces */
  add(bytes: Buffer, before?: Oid): Oid
}

interface Folder {
  /** The tree before the changes; undefined if the folder is new. */
  readonly before: Oid | undefined
  bytes: Buffer
  /** Opened child folders, which may have changed. A short array: the layout has at most sixteen in a folder. */
  readonly below: { readonly name: string; readonly folder: Folder }[]
  isChanged: boolean
}

function folderOf(before: Oid | undefined, bytes: Buffer): Folder {
  return { before, bytes, below: [], isChanged: false }
}

/** Begins to change a tree. Nothing is added to `source` before `write`. @param root the current root tree */
export async function openTreeBuilder(root: Oid, source: TreeSource): Promise<TreeBuilder> {
  const top = folderOf(root, await source.read(root))

  /** Writes the changed child folders. */
  function writeChanged(folder: Folder): void {
    for (const { name, folder: child } of folder.below) {
      if (!child.isChanged) continue
      writeChanged(child)
      const entry =
        child.bytes.length === 0 ? undefined : { mode: treeMode, oid: source.add(child.bytes, child.before) }
      folder.bytes = setTreeEntry(folder.bytes, name, entry)
    }
    folder.below.length = 0
    folder.isChanged = false
  }

  return {
    async at(names) {
      const path = [top]
      let obstacle: BuilderFolder['obstacle']
      let tree: Oid | undefined
      for (const [depth, name] of names.entries()) {
        const folder = path.at(-1) as Folder
        // A child that was opened before is a folder, even if the tree has another kind of entry there.
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
          child = folderOf(found, found === undefined ? emptyTreeBytes : await source.read(found))
          folder.below.push({ name, folder: child })
        }
        path.push(child)
      }
      return {
        tree,
        obstacle,
        set(made) {
          const last = path.at(-1) as Folder
          const entry = made === undefined ? undefined : { mode: treeMode, oid: made }
          last.bytes = setTreeEntry(last.bytes, names.at(-1) as string, entry)
          for (const folder of path) folder.isChanged = true
        },
      }
    },
    write() {
      writeChanged(top)
      return source.add(top.bytes, top.before)
    },
  }
}
