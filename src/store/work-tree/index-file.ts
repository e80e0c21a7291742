import { createHash, hash } from 'node:crypto'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { copyFile, type FileHandle, mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissing, undefinedIfMissingAsync } from '../file-system/file-errors.js'
import type { GitDirectory } from '../git-commands/git-directory.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { treeEntries, treeMode } from '../objects/tree-format.js'

/*
 * The format of `.git/index`, versions 2 and 3: a header, entries sorted by the bytes of their paths, extensions, and
 * the SHA-1 of all that. @see gitformat-index(5)
 */

const indexSignature = 'DIRC'
const headerSize = 12
export const hashSize = 20
const countAt = 8

/** Length of the values of stat(2) at the start of an entry, ten words of 32 bits. */
export const statSize = 40
/** Offsets in these values. */
export const [secondsAt, modeAt, sizeAt] = [8, 24, 36]
/** Offsets in an entry after its values of stat(2): the object's name, the flags, the path. */
const [oidAt, flagsAt, pathAt] = [statSize, statSize + hashSize, statSize + hashSize + 2]
/** Bits of the flags: length of the path, further flags follow, all bits but the length. */
const [lengthMask, extendedBit, otherBits] = [0xfff, 0x4000, 0xf000]

const extensionHeader = 8

/** Where the parts of an index begin. */
export interface IndexLayout {
  readonly version: 2 | 3
  /** The offset of each entry, and at last that of the end of the entries. */
  readonly offsets: Uint32Array
  readonly extensions: readonly { readonly signature: string; readonly bytes: Buffer }[]
}

interface IndexEntry {
  readonly path: Buffer
  /** Whether a user has set a flag, or the entry is a side of a merge conflict. */
  readonly isFlagged: boolean
}

/** Whether bytes begin as an index of version 2, 3 or 4 does. */
function hasIndexHeader(bytes: Buffer): boolean {
  if (bytes.length < headerSize || bytes.toString('latin1', 0, 4) !== indexSignature) return false
  const version = bytes.readUInt32BE(4)
  return version >= 2 && version <= 4
}

/** Encodes the header of an index with this number of entries. */
export function encodeIndexHeader(version: number, count: number): Buffer {
  const header = Buffer.alloc(headerSize)
  header.write(indexSignature, 'latin1')
  header.writeUInt32BE(version, 4)
  header.writeUInt32BE(count, countAt)
  return header
}

/** Encodes an entry without flags. @param stat ten words as in the format, zero for unknown values */
export function encodeIndexEntry(path: Buffer, oid: Oid, stat: Uint8Array): Buffer {
  const entry = Buffer.alloc(paddedSize(pathAt + path.length))
  entry.set(stat)
  entry.write(oid, oidAt, 'hex')
  entry.writeUInt16BE(Math.min(path.length, lengthMask), flagsAt)
  path.copy(entry, pathAt)
  return entry
}

/** @returns undefined for version 4, whose paths are compressed, and for anything that is not an index */
export function readIndexLayout(index: Buffer): IndexLayout | undefined {
  if (index.length < headerSize + hashSize || !hasIndexHeader(index)) return undefined
  const version = index.readUInt32BE(4)
  if (version !== 2 && version !== 3) return undefined
  const end = index.length - hashSize
  const count = index.readUInt32BE(countAt)
  if (count > (end - headerSize) / paddedSize(pathAt)) return undefined
  const offsets = new Uint32Array(count + 1)
  let offset = headerSize
  for (let at = 0; at < count; at++) {
    offsets[at] = offset
    if (offset + pathAt > end) return undefined
    offset += paddedSize(pathOffset(index, offset) + pathLength(index, offset))
  }
  offsets[count] = offset
  const extensions: { signature: string; bytes: Buffer }[] = []
  while (offset < end) {
    if (offset + extensionHeader > end) return undefined
    const start = offset + extensionHeader
    offset = start + index.readUInt32BE(offset + 4)
    if (offset > end) return undefined
    const signature = index.toString('latin1', start - extensionHeader, start - 4)
    extensions.push({ signature, bytes: index.subarray(start, offset) })
  }
  return offset === end ? { version, offsets, extensions } : undefined
}

export function encodeExtension(signature: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(extensionHeader)
  header.write(signature, 'latin1')
  header.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([header, bytes])
}

export function readIndexEntry(index: Buffer, offset: number): IndexEntry {
  const start = offset + pathOffset(index, offset)
  return {
    path: index.subarray(start, start + pathLength(index, offset)),
    isFlagged: (index.readUInt16BE(offset + flagsAt) & otherBits) !== 0,
  }
}

/** Compares a path with that of an entry, by bytes. @returns negative if the path comes before the entry */
export function comparePath(path: Buffer, index: Buffer, offset: number): number {
  const start = offset + pathOffset(index, offset)
  return -index.compare(path, 0, path.length, start, start + pathLength(index, offset))
}

function pathOffset(index: Buffer, offset: number): number {
  return index.readUInt16BE(offset + flagsAt) & extendedBit ? pathAt + 2 : pathAt
}

function pathLength(index: Buffer, offset: number): number {
  const length = index.readUInt16BE(offset + flagsAt) & lengthMask
  if (length < lengthMask) return length
  const start = offset + pathOffset(index, offset)
  const end = index.indexOf(0, start + lengthMask)
  return (end < 0 ? index.length : end) - start
}

/** One to eight zero bytes make the length of an entry a multiple of eight. */
function paddedSize(size: number): number {
  return (size + 8) & ~7
}

/*
 * Checks and rebuilds `.git/index`. Everything in the index, except staged changes, comes from a commit.
 * @see gitformat-index(5)
 */

/** Signature of the extension of a split index. */
const linkSignature = 'link'
const maxExtensions = 16 * 1024 * 1024

export type IndexFault = 'missing' | 'empty' | 'damaged'

/** Number of bytes that are hashed in one iteration of the event loop. */
const pieceSize = 1024 * 1024

/**
 * Checks the header and checksum of an index file. Git itself does not check the checksum.
 * @returns the fault; undefined if there is none
 */
export async function indexFault(file: string): Promise<IndexFault | undefined> {
  const opened = await undefinedIfMissingAsync(open(file))
  if (!opened) return 'missing'
  try {
    const { size } = await opened.stat()
    if (size === 0) return 'empty'
    if (size < headerSize + hashSize) return 'damaged'
    const sum = createHash('sha1')
    let isIndex = false
    let offset = 0
    /** Possible offsets of the extension that names a shared index. A path may contain its signature, too. */
    const links: number[] = []
    for await (const piece of opened.createReadStream({
      autoClose: false,
      start: 0,
      end: size - hashSize - 1,
      highWaterMark: pieceSize,
    }) as AsyncIterable<Buffer>) {
      if (!isIndex && !hasIndexHeader(piece)) return 'damaged'
      isIndex = true
      sum.update(piece)
      const link = piece.lastIndexOf(linkSignature, undefined, 'latin1')
      if (link >= 0) links.push(offset + link)
      offset += piece.length
    }
    const said = Buffer.alloc(hashSize)
    await opened.read(said, 0, hashSize, size - hashSize)
    // Git writes zeros if `index.skipHash` is set.
    if (!said.equals(Buffer.alloc(hashSize)) && !said.equals(sum.digest())) return 'damaged'
    const shared = await sharedIndex(opened, links.at(-1), size - hashSize)
    if (shared === undefined) return undefined
    return (await indexFault(join(dirname(file), `sharedindex.${shared}`))) === undefined
      ? undefined
      : 'damaged'
  } finally {
    await opened.close()
  }
}

/** @returns the hash in the name of the shared index, if the bytes from `from` on are extensions, first that one */
async function sharedIndex(
  file: FileHandle,
  from: number | undefined,
  end: number,
): Promise<string | undefined> {
  if (from === undefined || end - from > maxExtensions) return undefined
  const bytes = Buffer.alloc(end - from)
  await file.read(bytes, 0, bytes.length, from)
  let offset = 0
  while (offset + 8 <= bytes.length) offset += 8 + bytes.readUInt32BE(offset + 4)
  return offset === bytes.length && bytes.length >= 28 ? bytes.toString('hex', 8, 28) : undefined
}

/** Whether a file has the header of an index. Cheap; {@link indexFault} reads the whole file. */
export function beginsAsIndex(file: string): boolean {
  const opened = undefinedIfMissing(() => openSync(file, 'r'))
  if (opened === undefined) return false
  try {
    const header = Buffer.alloc(headerSize + hashSize)
    return readSync(opened, header) === header.length && hasIndexHeader(header)
  } finally {
    closeSync(opened)
  }
}

/**
 * Encodes an index from a tree, like `git read-tree`. The index has no times of files, so git has to read all files to
 * compare them.
 */
export async function indexOfTree(objects: ObjectReader, tree: Oid): Promise<Buffer> {
  const parts: Buffer[] = []
  await addEntries(objects, tree, '', parts)
  return encodeIndex(parts)
}

/** Encodes an index without extensions. @param entries in the order of their paths, by bytes */
export function encodeIndex(entries: readonly Buffer[]): Buffer {
  const content = Buffer.concat([encodeIndexHeader(2, entries.length), ...entries])
  return Buffer.concat([content, hash('sha1', content, 'buffer')])
}

/** Adds entries in the order of the tree, which is also the order of the index. */
async function addEntries(objects: ObjectReader, tree: Oid, folder: string, parts: Buffer[]): Promise<void> {
  for (const { mode, name, oid } of treeEntries((await objects.read(tree)).bytes)) {
    if (mode === treeMode) await addEntries(objects, oid, `${folder}${name}/`, parts)
    else parts.push(entryOf(mode, oid, Buffer.from(`${folder}${name}`, 'latin1')))
  }
}

/** An entry without times. */
function entryOf(mode: string, oid: Oid, path: Buffer): Buffer {
  const stat = Buffer.alloc(statSize)
  stat.writeUInt32BE(Number.parseInt(mode, 8), modeAt)
  return encodeIndexEntry(path, oid, stat)
}

type IndexFolders = Pick<GitDirectory, 'gitDir' | 'stagingDir'>

/**
 * Copies `.git/index` with its modification time. Git compares the content of a file that changed in the second in
 * which the index was written. If the copy had a later time, git would miss such an edit.
 * @see https://git-scm.com/docs/racy-git
 * @throws the system's error, such as `ENOENT` if there is no index
 */
export async function copyIndex(index: string, copy: string): Promise<void> {
  // Read the time before the copy. If the index is replaced in between, the older time only makes git read more files.
  const { mtimeMs } = await stat(index)
  await copyFile(index, copy, constants.COPYFILE_FICLONE)
  const seconds = Math.floor(mtimeMs / 1000)
  await utimes(copy, seconds, seconds)
}

/**
 * Runs git commands on a copy of `.git/index`. If they succeed, the copy replaces the index; otherwise the index stays
 * as it was. The caller holds `.git/index.lock`.
 * @param commands get the path of the copy, for `GIT_INDEX_FILE`
 */
export async function onCopyOfIndex<T>(
  folders: IndexFolders,
  commands: (copy: string) => Promise<T>,
): Promise<T> {
  return await replaceIndex(folders, async (copy, index) => {
    await undefinedIfMissingAsync(copyIndex(index, copy))
    return await commands(copy)
  })
}

/**
 * Replaces `.git/index` by a file that `make` writes. If `make` fails, the index stays as it was. The caller holds
 * `.git/index.lock`.
 */
export async function replaceIndex<T>(
  { gitDir, stagingDir }: IndexFolders,
  make: (made: string, index: string) => Promise<T>,
): Promise<T> {
  const folder = join(stagingDir, 'index')
  const made = join(folder, 'index')
  const index = join(gitDir, 'index')
  // A killed process may have left the folder.
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  try {
    const result = await make(made, index)
    await rename(made, index)
    return result
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The index entry of a path. */
export interface GitIndexEntry {
  readonly blob: Oid
  /**
   * Whether the entry has the times of the file, because git has checked the blob out, or has found it in the file. An
   * entry that was set by `--index-info` has no times.
   */
  readonly seen: boolean
}

/** Arguments of the git command whose output {@link indexEntriesIn} reads. */
export function listEntries(paths: Iterable<string>): readonly string[] {
  const specs = Array.from(paths, path => `:(top,literal)${path}`)
  return ['ls-files', '-s', '--debug', '-z', '--full-name', '--', ...specs]
}

/** Number of lines with details of the file after each path. The second line is the modification time. */
const detailLines = 5

/**
 * Parses entries of git's index, by path.
 * @param listed output of `git ls-files --stage --debug -z`
 * @see git-ls-files(1)
 */
export function indexEntriesIn(listed: string): ReadonlyMap<string, GitIndexEntry> {
  const entries = new Map<string, GitIndexEntry>()
  // Git terminates each path with NUL; its details come before the next path.
  const pieces = listed.split('\0')
  for (const [index, details] of pieces.slice(1).entries()) {
    const piece = pieces[index] as string
    const header = index === 0 ? piece : piece.split('\n').slice(detailLines).join('\n')
    const path = header.slice(header.indexOf('\t') + 1)
    const modified = details.split('\n')[1]?.trim()
    entries.set(path, { blob: header.split(' ')[1] as Oid, seen: modified !== 'mtime: 0:0' })
  }
  return entries
}
