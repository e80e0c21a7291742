import { openEntryCache } from '../../../core/data-structures/entry-cache.js'
import type { Oid } from '../../../core/value-types.js'
import { hashObject } from '../../../store/objects/hash-object.js'
import type { ObjectReader } from '../../../store/objects/object-reader.js'
import {
  emptyTreeBytes,
  findTreeEntry,
  setTreeEntry,
  treeEntries,
  treeMode,
} from '../../../store/objects/tree-format.js'
import type { NewObject } from '../../../store/packs/pack-writer.js'

/** Limit of the cached results for trees. */
const maxCachedTrees = 50_000

/** Removes directories from the trees of a history. */
export class DirectoryRemoval {
  /** The removed directories, and all files and folders in them. */
  readonly erased = new Set<Oid>()
  /** The directories that existed. */
  readonly touched = new Set<string>()
  readonly #results = openEntryCache<string, { readonly tree: Oid | undefined }>(maxCachedTrees)
  /** The last new tree, kept here because `objects` may not be able to read it yet. */
  #latest: NewObject | undefined

  constructor(
    private readonly objects: Pick<ObjectReader, 'read'>,
    private readonly directories: readonly string[],
    private readonly write: (object: NewObject) => Promise<void>,
  ) {}

  /** The root tree without the directories. */
  async treeWithout(tree: Oid): Promise<Oid> {
    let left: Oid | undefined = tree
    for (const directory of this.directories) {
      const before: Oid | undefined = left
      left = before && (await this.#strip(before, directory))
      if (left !== before) this.touched.add(directory)
    }
    return left ?? (await this.#addTree(emptyTreeBytes))
  }

  /** Cached {@link #strip}. */
  async #without(tree: Oid, path: string): Promise<Oid | undefined> {
    const key = `${tree} ${path}`
    const found = this.#results.get(key) ?? { tree: await this.#strip(tree, path) }
    this.#results.set(key, found)
    return found.tree
  }

  /** Removes a path from a tree. @returns the tree without the path; undefined if no entry is left */
  async #strip(tree: Oid, path: string): Promise<Oid | undefined> {
    const end = path.indexOf('/')
    const name = Buffer.from(end < 0 ? path : path.slice(0, end)).toString('latin1')
    const bytes = await this.#readTree(tree)
    const entry = findTreeEntry(bytes, name)
    if (!entry) return tree
    let left: Oid | undefined
    if (end < 0) await this.#noteErased(entry.oid, entry.mode)
    else left = entry.mode === treeMode ? await this.#without(entry.oid, path.slice(end + 1)) : entry.oid
    if (left === entry.oid) return tree
    const stripped = setTreeEntry(bytes, name, left && { mode: treeMode, oid: left })
    return stripped.length === 0 ? undefined : await this.#addTree(stripped)
  }

  async #noteErased(oid: Oid, mode: string): Promise<void> {
    if (this.erased.has(oid)) return
    this.erased.add(oid)
    if (mode !== treeMode) return
    for (const entry of treeEntries(await this.#readTree(oid))) await this.#noteErased(entry.oid, entry.mode)
  }

  async #readTree(oid: Oid): Promise<Buffer> {
    if (this.#latest?.oid === oid) return Buffer.from(this.#latest.bytes)
    return (await this.objects.read(oid)).bytes
  }

  async #addTree(bytes: Buffer): Promise<Oid> {
    const made: NewObject = { oid: hashObject('tree', bytes), type: 'tree', bytes }
    this.#latest = made
    await this.write(made)
    return made.oid
  }
}
