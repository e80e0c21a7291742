import { isUtf8 } from 'node:buffer'
import type { Oid } from '../../core/value-types.js'
import { MalformedObject } from './object-errors.js'
import type { ObjectReader } from './object-reader.js'

/*
 * The format of trees. Trees are changed as raw bytes, without parsing and encoding all entries, because an update
 * changes one entry of a tree. Names are byte strings (latin1), because a file may have a name that is not UTF-8. All
 * functions throw {@link MalformedObject} for a tree that is cut off. Those that return a mode also throw it for an
 * entry without a mode.
 * @see git-mktree(1) for the order of entries; git-fsck(1), badFilemode, zeroPaddedFilemode
 */

export const fileMode = '100644'
export const treeMode = '40000'

export interface TreeEntry {
  /** As Git writes it, without leading zeros: `100644`, `100755`, `120000`, `160000`, `40000`. */
  readonly mode: string
  readonly oid: Oid
}

interface NamedTreeEntry extends TreeEntry {
  /** A byte string, as {@link findTreeEntry} and {@link setTreeEntry} take it. */
  readonly name: string
}

export interface TextTreeEntry extends TreeEntry {
  /** The name as {@link decodeUtf8Lossless} reads it. */
  readonly textName: string
}

/** Length of an object name in bytes. */
const oidBytes = 20
/** Bytes of an entry after its name: a zero byte, and the object name. */
const tailBytes = 1 + oidBytes

/** Characters, as bytes. */
const space = 0x20
const zero = 0x30
const slash = 0x2f

export const emptyTreeBytes = Buffer.alloc(0)

/** The entry of a name; undefined if there is none. */
export function findTreeEntry(tree: Buffer, name: string): TreeEntry | undefined {
  const found = seek(tree, name)
  return found && { mode: modeOf(tree, found), oid: oidOf(tree, found) }
}

/** The tree with the entry of this name added or replaced; without it if `entry` is undefined. */
export function setTreeEntry(tree: Buffer, name: string, entry: TreeEntry | undefined): Buffer {
  const old = seek(tree, name)
  if (old && entry && storedMode(tree, old) === entry.mode) {
    const changed = Buffer.from(tree)
    changed.write(entry.oid, old.end - oidBytes, 'hex')
    return changed
  }
  const rest = old ? Buffer.concat([tree.subarray(0, old.start), tree.subarray(old.end)]) : tree
  if (!entry) return rest
  let offset = 0
  while (offset < rest.length) {
    const next = offsetsAt(rest, offset)
    if (isAfter(rest, next, name, entry.mode)) break
    offset = next.end
  }
  const head = `${entry.mode} ${name}\0`
  const made = Buffer.allocUnsafe(rest.length + head.length + oidBytes)
  rest.copy(made, 0, 0, offset)
  made.write(head, offset, 'latin1')
  made.write(entry.oid, offset + head.length, 'hex')
  rest.copy(made, offset + head.length + oidBytes, offset)
  return made
}

/** Entries in stored order, with byte strings as names. */
export function* treeEntries(tree: Buffer): Generator<NamedTreeEntry> {
  for (let start = 0; start < tree.length; ) {
    const entry = offsetsAt(tree, start)
    const name = tree.toString('latin1', entry.name, entry.end - tailBytes)
    yield { name, mode: modeOf(tree, entry), oid: oidOf(tree, entry) }
    start = entry.end
  }
}

/** Entries in stored order, with their names as text. */
export function parseTree(tree: Buffer): readonly TextTreeEntry[] {
  return Array.from(treeEntries(tree), ({ name, mode, oid }) => ({
    textName: decodeUtf8Lossless(Buffer.from(name, 'latin1')),
    mode,
    oid,
  }))
}

/**
 * Encodes the tree of a folder with these files, and the trees of its subfolders.
 * @param files by their paths, which are byte strings
 * @param add adds the tree of a subfolder
 */
export function treeOfFiles(files: ReadonlyMap<string, TreeEntry>, add: (tree: Buffer) => Oid): Buffer {
  let folders: Map<string, Map<string, TreeEntry>> | undefined
  let tree: Buffer = emptyTreeBytes
  for (const [path, entry] of files) {
    const nameLength = path.indexOf('/')
    if (nameLength < 0) {
      tree = setTreeEntry(tree, path, entry)
      continue
    }
    const name = path.slice(0, nameLength)
    folders ??= new Map()
    const folder = folders.get(name) ?? new Map<string, TreeEntry>()
    folders.set(name, folder.set(path.slice(nameLength + 1), entry))
  }
  for (const [name, inner] of folders ?? [])
    tree = setTreeEntry(tree, name, { mode: treeMode, oid: add(treeOfFiles(inner, add)) })
  return tree
}

/** Offsets of an entry: its mode, its name, and its end. */
interface Offsets {
  readonly start: number
  readonly name: number
  readonly end: number
}

// The functions below compare names without allocating strings or buffers, because an update visits many entries.

function offsetsAt(tree: Buffer, start: number): Offsets {
  const name = nameStart(tree, start)
  return { start, name, end: entryEnd(tree, name) }
}

/** Offset of the name of the entry. */
function nameStart(tree: Buffer, start: number): number {
  let offset = start
  while (offset < tree.length && tree[offset] !== space) offset++
  return offset + 1
}

/** Offset of the end of the entry. @param name offset of its name */
function entryEnd(tree: Buffer, name: number): number {
  let offset = name
  while (offset < tree.length && tree[offset] !== 0) offset++
  if (offset + tailBytes > tree.length) throw new MalformedObject('A tree object is cut off.')
  return offset + tailBytes
}

function seek(tree: Buffer, wanted: string): Offsets | undefined {
  for (let start = 0; start < tree.length; ) {
    const name = nameStart(tree, start)
    const end = entryEnd(tree, name)
    if (end - tailBytes - name === wanted.length && commonLength(tree, name, end, wanted) === wanted.length)
      return { start, name, end }
    start = end
  }
  return undefined
}

/** Whether an entry belongs after a name. Git sorts by bytes, and names of folders as if they ended with a slash. */
function isAfter(tree: Buffer, entry: Offsets, name: string, mode: string): boolean {
  const common = commonLength(tree, entry.name, entry.end, name)
  const firstDigit = tree[entry.start] === zero ? entry.start + 1 : entry.start
  const isFolder = tree[firstDigit] === treeMode.charCodeAt(0)
  const theirs =
    entry.name + common < entry.end - tailBytes ? (tree[entry.name + common] as number) : isFolder ? slash : 0
  const ours = common < name.length ? name.charCodeAt(common) : mode === treeMode ? slash : 0
  return theirs > ours
}

/** Length of the common prefix of the two names. */
function commonLength(tree: Buffer, start: number, end: number, name: string): number {
  const shorter = Math.min(end - tailBytes - start, name.length)
  let offset = 0
  while (offset < shorter && tree[start + offset] === name.charCodeAt(offset)) offset++
  return offset
}

/** The mode of an entry with its leading zeros, which some old programs wrote. */
function storedMode(tree: Buffer, { start, name }: Offsets): string {
  return tree.toString('latin1', start, name - 1)
}

function modeOf(tree: Buffer, entry: Offsets): string {
  const mode = storedMode(tree, entry)
  if (!/^[0-7]{5,6}$/.test(mode)) throw new MalformedObject('A tree object has an entry without a mode.')
  return mode.startsWith('0') ? mode.slice(1) : mode
}

function oidOf(tree: Buffer, { end }: Offsets): Oid {
  return tree.toString('hex', end - oidBytes, end) as Oid
}

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

/**
 * Decodes UTF-8. An invalid byte becomes a lone surrogate (U+DC80 to U+DCFF), so that distinct file names stay
 * distinct.
 * @see https://peps.python.org/pep-0383/
 */
export function decodeUtf8Lossless(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(buffer)) return buffer.toString()
  let text = ''
  for (let offset = 0; offset < buffer.length; ) {
    const size = [1, 2, 3, 4].find(length => isUtf8(buffer.subarray(offset, offset + length)))
    text +=
      size === undefined
        ? String.fromCharCode(0xdc00 + buffer.readUInt8(offset))
        : buffer.toString('utf8', offset, offset + size)
    offset += size ?? 1
  }
  return text
}
