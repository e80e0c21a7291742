import type { Oid } from '../../core/value-types.js'
import type { ObjectReader } from './object-reader.js'
import { findTreeEntry, treeMode } from './tree-editor.js'

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
