import { hash } from 'node:crypto'
import type { LRUCache } from 'lru-cache'
import type { Author } from '../../core/author.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { type Instant, type Oid, toSha1 } from '../../core/value-types.js'
import { decodeUtf8Lossless } from '../objects/commit-and-tree-parser.js'
import { addGpgSignature, encodeCommit, type NewCommit } from '../objects/commit-encoder.js'
import { hashObject } from '../objects/hash-object.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { openTreeBuilder, type TreeBuilder } from '../objects/tree-builder.js'
import {
  emptyTreeBytes,
  fileMode,
  findTreeEntry,
  type RawTreeEntry,
  setTreeEntry,
  treeEntries,
  treeMode,
} from '../objects/tree-editor.js'
import type { NewObject } from '../packs/pack-writer.js'
import { encodeRecord } from '../records/record-json.js'
import { documentFileName, recordDirectory, recordFile } from '../records/repository-layout.js'
import type { WrittenRevision } from './catalog-interface.js'
import type { CommitSigner } from './commit-signer.js'
import type { Change, ChangeSet, FileContent, RecordChange } from './writer.js'

/** Raw trees by name; an entry weighs its bytes. Bounded, so that memory does not grow with the repository. */
export type TreeCache = LRUCache<Oid, Buffer>

/** A path of the tree that an update changes, for the work tree. */
export interface PathUpdate {
  readonly path: string
  readonly before: Oid | undefined
  readonly after: Oid | undefined
}

export interface AppliedChange {
  readonly commit: Oid
  readonly revisions: readonly WrittenRevision[]
  /** Worked out where somebody asks: a bare repository has no work tree. */
  paths(): readonly PathUpdate[]
}

/** Commits on top of one another that will be written together. */
export interface CommitBatch {
  /** Every object the commits need that the repository may lack. */
  readonly objects: ReadonlyMap<Oid, NewObject>
  /** The newest commit. */
  head(): Oid
  /** Its tree. */
  tree(): Oid
  /** @returns undefined where the change leaves the tree as it is: no commit is made */
  apply(change: Change | ChangeSet, author: Author, time: Instant): Promise<AppliedChange | undefined>
  /** Has the trees of the newest commit kept: the commits are written. */
  keep(): void
  /** A commit that continues the old head and takes over the tree of a commit that has it on a side. */
  addMerge(theirs: Oid, tree: Oid, author: Author, time: Instant): Promise<Oid>
}

/** Reads the trees on the way to a directory into the cache. */
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

type Files = ReadonlyMap<string, RawTreeEntry>

/**
 * @param tree the tree of `parent`
 * @param sign signs each commit, which the next one builds on: one after the other
 */
export function openCommitBatch(
  objects: ObjectReader,
  trees: TreeCache,
  parent: Oid,
  tree: Oid,
  sign?: CommitSigner,
): CommitBatch {
  const made = new Map<Oid, NewObject>()
  /** Trees that were made, and are no earlier state of another one. */
  const newest = new Map<Oid, Buffer>()
  let head = parent
  let root = tree

  const known = (oid: Oid) => newest.get(oid) ?? trees.get(oid)

  async function load(oid: Oid): Promise<Buffer> {
    const bytes = (await read(oid)) as Buffer
    if (!made.has(oid)) trees.set(oid, bytes)
    return bytes
  }

  /** What an update before it in the same batch has brought is in no pack yet. */
  async function read(oid: Oid): Promise<Uint8Array> {
    const { bytes } = made.get(oid) ?? (await objects.read(oid))
    return bytes
  }

  /** @param before what it takes the place of */
  function addTree(bytes: Buffer, before?: Oid): Oid {
    const oid = hashObject('tree', bytes)
    made.set(oid, { oid, type: 'tree', bytes })
    if (before !== undefined) newest.delete(before)
    newest.set(oid, bytes)
    return oid
  }

  async function filesBelow(tree: Oid, prefix = ''): Promise<Map<string, RawTreeEntry>> {
    const files = new Map<string, RawTreeEntry>()
    for (const { name, mode, oid } of treeEntries(known(tree) ?? (await load(tree)))) {
      if (mode !== treeMode) files.set(prefix + name, { mode, oid })
      else for (const [path, slot] of await filesBelow(oid, `${prefix}${name}/`)) files.set(path, slot)
    }
    return files
  }

  /**
   * @param instead the tree they take the place of
   * @returns undefined for no files: Git has no empty folders
   */
  function treeOf(files: Files, instead?: Oid): Oid | undefined {
    let folders: Map<string, Map<string, RawTreeEntry>> | undefined
    let bytes: Buffer = emptyTreeBytes
    for (const [path, slot] of files) {
      const slash = path.indexOf('/')
      if (slash < 0) {
        bytes = setTreeEntry(bytes, path, slot)
        continue
      }
      const name = path.slice(0, slash)
      folders ??= new Map()
      const folder = folders.get(name) ?? new Map<string, RawTreeEntry>()
      folders.set(name, folder.set(path.slice(slash + 1), slot))
    }
    for (const [name, below] of folders ?? []) {
      const oid = treeOf(below)
      if (oid) bytes = setTreeEntry(bytes, name, { mode: treeMode, oid })
    }
    return bytes.length === 0 ? undefined : addTree(bytes, instead)
  }

  function addFile(content: FileContent, before: Files): RawTreeEntry {
    if (typeof content === 'string') return { mode: fileMode, oid: content }
    const oid = hashObject('blob', content)
    if (!isAmong(before, oid)) made.set(oid, { oid, type: 'blob', bytes: content })
    return { mode: fileMode, oid }
  }

  async function addCommit(commit: Omit<NewCommit, 'parents'>, others: readonly Oid[] = []): Promise<Oid> {
    const unsigned = encodeCommit({ ...commit, parents: [head, ...others] })
    const bytes = sign ? addGpgSignature(unsigned, await sign(unsigned)) : unsigned
    head = hashObject('commit', bytes)
    root = commit.tree
    made.set(head, { oid: head, type: 'commit', bytes })
    return head
  }

  function filesAfter(change: RecordChange, before: Files): Files {
    const { kind, state } = change
    const after = new Map<string, RawTreeEntry>()
    if (!state) return after
    // Nothing else stays: with a file that does not belong there, or a folder in the place of one that does, whoever
    // reads the history would take the revision for a faulty one. What a person put there is in the history.
    after.set(recordFile, addFile(encodeRecord(state.record), before))
    after.set(documentFileName(kind, state.documentType), addFile(state.document, before))
    for (const [path, content] of state.files) after.set(byteName(path), addFile(content, before))
    return after
  }

  async function hashOf(document: FileContent): Promise<string> {
    return hash('sha1', typeof document === 'string' ? await read(document) : document, 'hex')
  }

  /** What an update made of one directory of the tree. */
  interface Placed {
    readonly revision: Omit<WrittenRevision, 'commit' | 'time'>
    paths(): readonly PathUpdate[]
  }

  /** @returns undefined where the change leaves the tree as it is */
  async function place(draft: TreeBuilder, change: RecordChange): Promise<Placed | undefined> {
    const { kind, id, state } = change
    const path = recordDirectory(kind, id)
    const directory = await draft.at(path.split('/'))
    const { tree, obstacle } = directory
    const before = tree === undefined ? noFiles : await filesBelow(tree)
    const after = filesAfter(change, before)
    const made = treeOf(after, tree)
    if (made === tree && !obstacle) return undefined
    directory.set(made)
    const revision = {
      kind,
      id,
      ...(state && {
        state: {
          record: state.record,
          recordBlob: (after.get(recordFile) as RawTreeEntry).oid,
          documentType: state.documentType,
          documentHash: toSha1(await hashOf(state.document)),
          files: blobsByName(after),
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

  return {
    objects: made,
    head: () => head,
    tree: () => root,
    async apply(change, author, time) {
      const draft = await openTreeBuilder(root, { known, load, add: addTree })
      const placed: Placed[] = []
      const pauses = openEventLoopPauses()
      for (const each of 'changes' in change ? change.changes : [change]) {
        await pauses.ifDue()
        const one = await place(draft, each)
        if (one) placed.push(one)
      }
      if (placed.length === 0) return undefined
      const { subject, trailers = [], authoredAt } = change
      const dates = authoredAt === undefined ? { time } : { time, authoredAt }
      // Only a commit that could be signed moves the root on.
      const commit = await addCommit({ tree: draft.write(), author, ...dates, subject, trailers })
      return {
        commit,
        revisions: placed.map(({ revision }) => ({ ...revision, commit, time })),
        paths: () => placed.flatMap(({ paths }) => paths()),
      }
    },
    keep() {
      // Copied close together: they lie among all else that was made for the flush, which would be kept with them.
      for (const [oid, bytes] of newest) trees.set(oid, Buffer.from(bytes))
    },
    addMerge(theirs, tree, author, time) {
      const subject = 'Continue the served history with what was merged beside it'
      return addCommit({ tree, author, time, subject, trailers: [] }, [theirs])
    },
  }
}

const noFiles: Files = new Map()

function isAmong(files: Files, oid: Oid): boolean {
  for (const slot of files.values()) if (slot.oid === oid) return true
  return false
}

function blobsByName(files: Files): Map<string, Oid> {
  const named = new Map<string, Oid>()
  for (const [name, { oid }] of files) named.set(textName(name), oid)
  return named
}

/** Trees hold names as bytes; everybody else as text. */
const byteName = (text: string) => (isAscii(text) ? text : Buffer.from(text).toString('latin1'))
const textName = (bytes: string) =>
  isAscii(bytes) ? bytes : decodeUtf8Lossless(Buffer.from(bytes, 'latin1'))
const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text)

function pathUpdates(directory: string, before: Files, after: Files): PathUpdate[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].flatMap(name => {
    const [old, now] = [before.get(name)?.oid, after.get(name)?.oid]
    return old === now ? [] : [{ path: `${directory}/${textName(name)}`, before: old, after: now }]
  })
}
