import type { Oid } from '../../core/value-types.js'
import type { ObjectReader } from './object-reader.js'
import { findTreeEntry, parseTree, type TreeEntry, treeMode } from './tree-format.js'

/**
 * Every file below a directory of a tree, by the file's path relative to the directory.
 * @param path of the directory, without a trailing slash
 * @returns an empty map if the tree has no such directory
 */
export async function readDirectory(
  objects: ObjectReader,
  root: Oid,
  path: string,
): Promise<ReadonlyMap<string, TreeEntry>> {
  const directory = await entryAt(objects, root, path)
  if (directory?.mode !== treeMode) return new Map()
  const files = new Map<string, TreeEntry>()
  const folders = [{ oid: directory.oid, prefix: '' }]
  for (let next = folders.pop(); next; next = folders.pop()) {
    for (const { textName, mode, oid } of parseTree((await objects.read(next.oid)).bytes)) {
      if (mode === treeMode) folders.push({ oid, prefix: `${next.prefix}${textName}/` })
      else files.set(next.prefix + textName, { oid, mode })
    }
  }
  return files
}

/** The blob at a path of a tree; undefined if there is no file. */
export async function blobAt(objects: ObjectReader, root: Oid, path: string): Promise<Oid | undefined> {
  const entry = await entryAt(objects, root, path)
  return entry?.mode === treeMode ? undefined : entry?.oid
}

async function entryAt(objects: ObjectReader, root: Oid, path: string): Promise<TreeEntry | undefined> {
  let entry: TreeEntry | undefined = { mode: treeMode, oid: root }
  for (const name of path.split('/')) {
    if (entry?.mode !== treeMode) return undefined
    entry = findTreeEntry((await objects.read(entry.oid)).bytes, Buffer.from(name).toString('latin1'))
  }
  return entry
}
