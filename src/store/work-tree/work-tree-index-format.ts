import type { Oid } from '../../core/value-types.js'

/*
 * The format of `.git/index`, versions 2 and 3: a header, entries sorted by the bytes of their paths, extensions, and
 * the SHA-1 of all that. @see gitformat-index(5)
 */

export const indexSignature = 'DIRC'
export const headerSize = 12
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

export interface IndexEntry {
  readonly path: Buffer
  /** Whether a user has set a flag, or the entry is a side of a merge conflict. */
  readonly isFlagged: boolean
}

/** Whether bytes begin as an index of version 2, 3 or 4 does. */
export function hasIndexHeader(bytes: Buffer): boolean {
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
