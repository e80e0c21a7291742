import { createHash, hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissing, undefinedIfMissingAsync } from '../file-system/file-errors.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { treeEntries, treeMode } from '../objects/tree-format.js'
import {
  encodeIndexEntry,
  encodeIndexHeader,
  hashSize,
  hasIndexHeader,
  headerSize,
  modeAt,
  statSize,
} from './work-tree-index-format.js'

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
  const content = Buffer.concat([encodeIndexHeader(2, parts.length), ...parts])
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
