import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Instant, Oid } from '../../core/value-types.js'
import {
  type Author,
  addGpgSignature,
  encodeCommit,
  type NewCommit,
  serviceIdentity,
} from '../objects/commit-format.js'
import { hashObject, sha1Of } from '../objects/hash-object.js'
import type { ObjectReader } from '../objects/object-reader.js'
import {
  decodeUtf8Lossless,
  emptyTreeBytes,
  fileMode,
  findTreeEntry,
  setTreeEntry,
  type TreeEntry,
  treeEntries,
  treeMode,
  treeOfFiles,
} from '../objects/tree-format.js'
import type { NewObject } from '../packs/pack-writer.js'
import { encodeRecord } from '../records/record-json.js'
import { documentFileName, recordDirectory, recordFile } from '../records/repository-layout.js'
import type { WrittenRevision } from './catalog-interface.js'
import type { CommitSigner } from './commit-signer.js'
import type { Change, ChangeSet, FileContent, RecordChange } from './writer-interface.js'

/**
 * Raw trees by name. Bounded by the size of the trees.
 *
 * Fast path. Benchmark "durable creates through HTTP": 1.30 times the rate at 1,000,000 records; at 20,000, the gain is
 * less than the noise. Plain path: {@link noTrees}.
 * @see docs/decisions/011-fast-paths.md
 */
export interface TreeCache {
  get(oid: Oid): Buffer | undefined
  set(oid: Oid, tree: Buffer): unknown
}

/** The plain {@link TreeCache}: keeps nothing. */
export const noTrees: TreeCache = { get: () => undefined, set: () => undefined }

/** The change of one path, for the work tree. */
interface PathUpdate {
  readonly path: string
  readonly before: Oid | undefined
  readonly after: Oid | undefined
}

export interface AppliedChange {
  readonly commit: Oid
  readonly revisions: readonly WrittenRevision[]
  /** The changed paths; computed on demand, because a bare repository does not need them. */
  paths(): readonly PathUpdate[]
}

/** The change of one record's directory. */
interface DirectoryChange {
  readonly revision: Omit<WrittenRevision, 'commit' | 'time'>
  paths(): readonly PathUpdate[]
}

type Files = ReadonlyMap<string, TreeEntry>

/** Reads the trees on the path of a directory into the cache. */
export async function preloadTrees(
  objects: ObjectReader,
  trees: TreeCache,
  root: Oid,
  directory: string,
): Promise<void> {
  let oid = root
  for (const name of directory.split('/')) {
    let tree = trees.get(oid)
    if (!tree) {
      tree = (await objects.read(oid)).bytes
      trees.set(oid, tree)
    }
    const entry = findTreeEntry(tree, name)
    if (entry?.mode !== treeMode) return
    oid = entry.oid
  }
}

/** Commits on top of one another that are written together. */
export class CommitBatch implements TreeSource {
  readonly #objects = new Map<Oid, NewObject>()
  /** New trees without those that a later commit of the batch replaced. */
  readonly #newest = new Map<Oid, Buffer>()
  #head: Oid
  #root: Oid

  /**
   * Begins a batch on top of `parent`.
   * @param tree the tree of `parent`
   * @param sign signs each commit before the next one is made
   */
  constructor(
    private readonly reader: ObjectReader,
    private readonly trees: TreeCache,
    parent: Oid,
    tree: Oid,
    private readonly sign?: CommitSigner,
  ) {
    this.#head = parent
    this.#root = tree
  }

  /** The objects of the commits that the repository may lack. */
  get objects(): ReadonlyMap<Oid, NewObject> {
    return this.#objects
  }

  /** The newest commit. */
  get head(): Oid {
    return this.#head
  }

  /** The tree of the newest commit. */
  get tree(): Oid {
    return this.#root
  }

  /** Adds a commit. @returns undefined if the change does not change the tree; then there is no commit */
  async apply(change: Change | ChangeSet, author: Author, time: Instant): Promise<AppliedChange | undefined> {
    const draft = await openTreeBuilder(this.#root, this)
    const changed: DirectoryChange[] = []
    const pauses = openEventLoopPauses()
    for (const each of 'changes' in change ? change.changes : [change]) {
      await pauses.ifDue()
      const one = await this.#changeDirectory(draft, each)
      if (one) changed.push(one)
    }
    if (changed.length === 0) return undefined
    const { subject, trailers = [], authoredAt } = change
    const dates = authoredAt === undefined ? { time } : { time, authoredAt }
    const commit = await this.#addCommit({ tree: draft.write(), author, ...dates, subject, trailers })
    return {
      commit,
      revisions: changed.map(({ revision }) => ({ ...revision, commit, time })),
      paths: () => changed.flatMap(({ paths }) => paths()),
    }
  }

  /** Adds a commit on top of the head with the tree of `theirs`, whose first-parent chain lacks the head. */
  addMerge(theirs: Oid, tree: Oid, time: Instant): Promise<Oid> {
    const subject = 'Continue the served history with what was merged beside it'
    return this.#addCommit({ tree, author: serviceIdentity, time, subject, trailers: [] }, [theirs])
  }

  /** Caches the trees of the newest commit, after the commits were written. */
  cacheTrees(): void {
    // Copies, because a tree shares its memory with other objects of the flush.
    for (const [oid, bytes] of this.#newest) this.trees.set(oid, Buffer.from(bytes))
  }

  async read(oid: Oid): Promise<Buffer> {
    const known = this.#newest.get(oid) ?? this.trees.get(oid)
    if (known) return known
    const bytes = (await this.#readObject(oid)) as Buffer
    if (!this.#objects.has(oid)) this.trees.set(oid, bytes)
    return bytes
  }

  add(bytes: Buffer, before?: Oid): Oid {
    const oid = hashObject('tree', bytes)
    this.#objects.set(oid, { oid, type: 'tree', bytes })
    if (before !== undefined) this.#newest.delete(before)
    this.#newest.set(oid, bytes)
    return oid
  }

  /** Reads an object of the repository or of this batch. */
  async #readObject(oid: Oid): Promise<Uint8Array> {
    const { bytes } = this.#objects.get(oid) ?? (await this.reader.read(oid))
    return bytes
  }

  async #addCommit(commit: Omit<NewCommit, 'parents'>, others: readonly Oid[] = []): Promise<Oid> {
    const unsigned = encodeCommit({ ...commit, parents: [this.#head, ...others] })
    const bytes = this.sign ? addGpgSignature(unsigned, await this.sign(unsigned)) : unsigned
    // After signing, which may fail.
    this.#head = hashObject('commit', bytes)
    this.#root = commit.tree
    this.#objects.set(this.#head, { oid: this.#head, type: 'commit', bytes })
    return this.#head
  }

  /** Puts the files of the record into its directory. @returns undefined if nothing changes */
  async #changeDirectory(draft: TreeBuilder, change: RecordChange): Promise<DirectoryChange | undefined> {
    const { kind, id, state } = change
    const path = recordDirectory(kind, id)
    const directory = await draft.at(path.split('/'))
    const { tree, obstacle } = directory
    const before = tree === undefined ? noFiles : await this.#filesBelow(tree)
    const after = this.#filesAfter(change, before)
    const bytes = treeOfFiles(after, inner => this.add(inner))
    // Git has no empty folders.
    const made = bytes.length === 0 ? undefined : this.add(bytes, tree)
    if (made === tree && !obstacle) return undefined
    directory.set(made)
    const revision = {
      kind,
      id,
      ...(state && {
        state: {
          record: state.record,
          recordBlob: (after.get(recordFile) as TreeEntry).oid,
          documentType: state.documentType,
          documentHash: sha1Of(await this.#contentOf(state.document)),
          files: new Map(Array.from(after, ([name, { oid }]) => [textName(name), oid])),
        },
      }),
    }
    return {
      revision,
      paths() {
        const removed = obstacle ? [{ path: obstacle.path, before: obstacle.oid, after: undefined }] : []
        return [...removed, ...pathUpdates(path, before, after)]
      },
    }
  }

  async #filesBelow(tree: Oid, prefix = ''): Promise<Map<string, TreeEntry>> {
    const files = new Map<string, TreeEntry>()
    for (const { name, mode, oid } of treeEntries(await this.read(tree))) {
      if (mode !== treeMode) files.set(prefix + name, { mode, oid })
      else for (const [path, slot] of await this.#filesBelow(oid, `${prefix}${name}/`)) files.set(path, slot)
    }
    return files
  }

  /** All files of the directory after a change. Other files go: they would make the revision faulty for readers. */
  #filesAfter({ kind, state }: RecordChange, before: Files): Files {
    const after = new Map<string, TreeEntry>()
    if (!state) return after
    after.set(recordFile, this.#addFile(encodeRecord(state.record), before))
    after.set(documentFileName(kind, state.documentType), this.#addFile(state.document, before))
    for (const [path, content] of state.files) after.set(byteName(path), this.#addFile(content, before))
    return after
  }

  #addFile(content: FileContent, before: Files): TreeEntry {
    if (typeof content === 'string') return { mode: fileMode, oid: content }
    const oid = hashObject('blob', content)
    const isKept = [...before.values()].some(entry => entry.oid === oid)
    if (!isKept) this.#objects.set(oid, { oid, type: 'blob', bytes: content })
    return { mode: fileMode, oid }
  }

  async #contentOf(file: FileContent): Promise<Uint8Array> {
    return typeof file === 'string' ? await this.#readObject(file) : file
  }
}

const noFiles: Files = new Map()

/** Trees have names as bytes (latin1); other data structures have them as text. */
const byteName = (text: string) => Buffer.from(text).toString('latin1')
const textName = (bytes: string) => decodeUtf8Lossless(Buffer.from(bytes, 'latin1'))

function pathUpdates(directory: string, before: Files, after: Files): PathUpdate[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].flatMap(name => {
    const [old, now] = [before.get(name)?.oid, after.get(name)?.oid]
    return old === now ? [] : [{ path: `${directory}/${textName(name)}`, before: old, after: now }]
  })
}

/**
 * Changes several places of a tree and writes each changed folder once, at the end.
 */
interface TreeBuilder {
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

interface TreeSource {
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
async function openTreeBuilder(root: Oid, source: TreeSource): Promise<TreeBuilder> {
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
