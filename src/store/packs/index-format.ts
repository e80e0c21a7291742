import { hash } from 'node:crypto'
import type { Oid } from '../../core/value-types.js'

/*
 * Reads and writes the format of pack index files, version 2, in memory. @see gitformat-pack(5), "pack-*.idx files"
 */

/** One object in a pack. */
export interface PackIndexEntry {
  readonly oid: Oid
  /** CRC-32 of the entry in the pack: header and deflated data. */
  readonly crc32: number
  /** Offset of the entry in the pack, in bytes. */
  readonly offset: number
}

/**
 * The objects of a pack, sorted by name, in columns: one JavaScript object for each would make merging much slower.
 */
export interface IndexColumns {
  /** Names of objects, each of {@link nameBytes} bytes. */
  readonly names: Buffer
  readonly crc32s: Uint32Array
  /** Offsets of entries in bytes. They have more than 32 bits in packs of more than four gigabytes. */
  readonly offsets: Float64Array
}

/** The content of an index file. */
export interface PackIndex {
  readonly columns: IndexColumns
  /** SHA-1 at the end of the pack. */
  readonly packChecksum: Buffer
}

/** Length of a name in bytes. */
export const nameBytes = 20
const magic = 0xff744f63
/** Offset of the fan-out table. For each value of a name's first byte, it has the number of names up to that value. */
const fanOutAt = 8
/** Offset of the names. */
export const namesAt = fanOutAt + 256 * 4
/** Offsets from this value on are references into the table of 64-bit offsets. */
export const largeOffset = 0x80000000

/** Whether a file is an index of version 2. @param head the first bytes of the file, up to the names at least */
export function isIndex(head: Buffer): boolean {
  return head.readUInt32BE(0) === magic && head.readUInt32BE(4) === 2
}

/** @throws RangeError if the file is not an index of version 2 @param head the first bytes, up to the names at least */
export function checkIndexHead(head: Buffer): void {
  if (!isIndex(head)) throw new RangeError('It is not a pack index of version 2.')
}

/** Offsets of the tables after the names. @param count number of objects */
export function layoutOf(count: number) {
  const crc32sAt = namesAt + count * nameBytes
  const offsetsAt = crc32sAt + count * 4
  /** Offset of the table of 64-bit offsets. */
  const largeAt = offsetsAt + count * 4
  return { crc32sAt, offsetsAt, largeAt }
}

/** Number of names with a first byte up to `first`. @param head first bytes of an index, up to the names at least */
export function countUpTo(head: Buffer, first = 255): number {
  return first < 0 ? 0 : head.readUInt32BE(fanOutAt + first * 4)
}

/** Sorts entries by name. @param entries in any order */
export function toIndexColumns(entries: readonly PackIndexEntry[]): IndexColumns {
  const sorted = [...entries].sort((a, b) => (a.oid < b.oid ? -1 : a.oid > b.oid ? 1 : 0))
  return {
    names: Buffer.from(sorted.map(entry => entry.oid).join(''), 'hex'),
    crc32s: Uint32Array.from(sorted, entry => entry.crc32),
    offsets: Float64Array.from(sorted, entry => entry.offset),
  }
}

/**
 * The bytes of an index file.
 * @param packChecksum the 20 bytes at the end of the pack
 * @throws RangeError if the names are not unique or not sorted
 */
export function encodeIndex({ names, crc32s, offsets }: IndexColumns, packChecksum: Uint8Array): Buffer {
  const count = offsets.length
  const { crc32sAt, offsetsAt, largeAt } = layoutOf(count)
  const large = offsets.filter(offset => offset >= largeOffset)
  const trailer = largeAt + large.length * 8
  const index = Buffer.allocUnsafe(trailer + 2 * nameBytes)
  const view = viewOf(index)
  view.setUint32(0, magic)
  view.setUint32(4, 2)
  const firstBytes = new Uint32Array(256)
  let nextLarge = 0
  for (let index = 0; index < count; index++) {
    const first = names[index * nameBytes] as number
    firstBytes[first] = (firstBytes[first] as number) + 1
    if (index > 0 && compareNames(names, index - 1, names, index) >= 0) {
      const oid = names.toString('hex', index * nameBytes, (index + 1) * nameBytes)
      throw new RangeError(`The object ${oid} is in the pack twice, or out of order.`)
    }
    view.setUint32(crc32sAt + index * 4, crc32s[index] as number)
    const offset = offsets[index] as number
    view.setUint32(offsetsAt + index * 4, offset < largeOffset ? offset : largeOffset + nextLarge++)
  }
  let total = 0
  firstBytes.forEach((number, first) => {
    total += number
    view.setUint32(fanOutAt + first * 4, total)
  })
  large.forEach((offset, index) => {
    view.setBigUint64(largeAt + index * 8, BigInt(offset))
  })
  index.set(names, namesAt)
  index.set(packChecksum, trailer)
  index.set(hash('sha1', index.subarray(0, trailer + nameBytes), 'buffer'), trailer + nameBytes)
  return index
}

/** Parses an index file and verifies its checksum. @throws RangeError if it is not an index of version 2, or damaged */
export function readIndex(index: Buffer): PackIndex {
  if (index.length < namesAt + 2 * nameBytes) throw new RangeError('The pack index is cut off.')
  checkIndexHead(index)
  const checksum = hash('sha1', index.subarray(0, -nameBytes), 'buffer')
  if (!checksum.equals(index.subarray(-nameBytes))) throw new RangeError('The pack index is damaged.')
  const view = viewOf(index)
  const count = countUpTo(index)
  const { crc32sAt, offsetsAt, largeAt } = layoutOf(count)
  const crc32s = new Uint32Array(count)
  const offsets = new Float64Array(count)
  for (let place = 0; place < count; place++) {
    crc32s[place] = view.getUint32(crc32sAt + place * 4)
    const short = view.getUint32(offsetsAt + place * 4)
    offsets[place] =
      short < largeOffset ? short : Number(view.getBigUint64(largeAt + (short - largeOffset) * 8))
  }
  return {
    columns: { names: index.subarray(namesAt, crc32sAt), crc32s, offsets },
    packChecksum: index.subarray(-2 * nameBytes, -nameBytes),
  }
}

/** Compares the name at place `atA` of `a` with the name at place `atB` of `b`. */
export function compareNames(a: Buffer, atA: number, b: Buffer, atB: number): number {
  return a.compare(b, atB * nameBytes, (atB + 1) * nameBytes, atA * nameBytes, (atA + 1) * nameBytes)
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
