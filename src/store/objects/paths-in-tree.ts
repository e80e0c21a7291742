import type { Oid } from '../../core/value-types.js'
import { directoryMode, parseTree } from './commit-and-tree-parser.js'
import type { ObjectReader } from './object-reader.js'
import { findTreeEntry, treeMode } from './tree-editor.js'

/** A file of a directory in a tree. */
interface DirectoryFile {
  readonly oid: Oid
  /** As Git writes it: `100644`, `120000`… */
  readonly mode: string
}

/**
 * Every file below a directory of a tree, by its path relative to the directory.
 * @param path of the directory, without a trailing slash
 * @returns an empty map if the tree has no such directory
 */
export async function readDirectory(
  objects: ObjectReader,
  tree: Oid,
  path: string,
): Promise<ReadonlyMap<string, DirectoryFile>> {
  let folder = tree
  for (const part of path.split('/')) {
    const entry = (await entriesOf(objects, folder)).find(({ name }) => name === part)
    if (entry?.mode !== directoryMode) return new Map()
    folder = entry.oid
  }
  const files = new Map<string, DirectoryFile>()
  const folders = [{ oid: folder, prefix: '' }]
  for (let next = folders.pop(); next; next = folders.pop()) {
    for (const { name, mode, oid } of await entriesOf(objects, next.oid)) {
      if (mode === directoryMode) folders.push({ oid, prefix: `${next.prefix}${name}/` })
      else files.set(next.prefix + name, { oid, mode })
    }
  }
  return files
}

async function entriesOf(objects: ObjectReader, tree: Oid) {
  return parseTree((await objects.read(tree)).bytes)
}

/** The blob at a path of a tree; undefined if there is no file. */
export async function blobAt(objects: ObjectReader, root: Oid, path: string): Promise<Oid | undefined> {
  let oid = root
  const names = path.split('/')
  for (const [at, name] of names.entries()) {
    const entry = findTreeEntry((await objects.read(oid)).bytes, Buffer.from(name).toString('latin1'))
    const isLast = at === names.length - 1
    if (!entry || (entry.mode === treeMode) === isLast) return undefined
    oid = entry.oid
  }
  return oid
}
