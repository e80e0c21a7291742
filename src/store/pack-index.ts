import { createHash } from 'node:crypto'
import type { Oid } from '../core/values.js'

/*
 * Pack index files, version 2. Pure. @see gitformat-pack(5), "pack-*.idx files"
 */

/** One object in a pack. */
export interface IndexEntry {
  readonly oid: Oid
  /** CRC-32 of the entry as it stands in the pack: header and deflated data. */
  readonly crc32: number
  /** Where the entry begins in the pack, in bytes. */
  readonly offset: number
}

export interface PackIndex {
  /** In the order of their names. */
  readonly entries: readonly IndexEntry[]
  /** SHA-1 at the end of the pack. */
  readonly packChecksum: Buffer
}

const magic = 0xff744f63
const fanOutBytes = 256 * 4
const largeOffset = 0x80000000
const nameBytes = 20

/**
 * @param entries in any order, every name once
 * @param packChecksum the 20 bytes at the end of the pack
 * @throws RangeError when a name is there twice
 */
export function encodeIndex(entries: readonly IndexEntry[], packChecksum: Uint8Array): Buffer {
  const sorted = [...entries].sort((a, b) => (a.oid < b.oid ? -1 : a.oid > b.oid ? 1 : 0))
  const twice = sorted.find((entry, at) => entry.oid === sorted[at + 1]?.oid)
  if (twice) throw new RangeError(`The object ${twice.oid} is in the pack twice.`)
  const count = sorted.length
  const large = sorted.filter(entry => entry.offset >= largeOffset)
  const names = 8 + fanOutBytes
  const sums = names + count * nameBytes
  const offsets = sums + count * 4
  const largeOffsets = offsets + count * 4
  const trailer = largeOffsets + large.length * 8
  const index = Buffer.alloc(trailer + 40)
  index.writeUInt32BE(magic, 0)
  index.writeUInt32BE(2, 4)
  const firstBytes = new Array<number>(256).fill(0)
  let nextLarge = 0
  sorted.forEach(({ oid, crc32, offset }, at) => {
    index.write(oid, names + at * nameBytes, 'hex')
    index.writeUInt32BE(crc32, sums + at * 4)
    if (offset < largeOffset) index.writeUInt32BE(offset, offsets + at * 4)
    else {
      index.writeUInt32BE(largeOffset + nextLarge, offsets + at * 4)
      index.writeBigUInt64BE(BigInt(offset), largeOffsets + nextLarge++ * 8)
    }
    const first = index.readUInt8(names + at * nameBytes)
    firstBytes[first] = (firstBytes[first] ?? 0) + 1
  })
  let total = 0
  firstBytes.forEach((number, first) => {
    total += number
    index.writeUInt32BE(total, 8 + first * 4)
  })
  index.set(packChecksum, trailer)
  createHash('sha1')
    .update(index.subarray(0, trailer + nameBytes))
    .digest()
    .copy(index, trailer + nameBytes)
  return index
}

/** @throws RangeError where it is no index of version 2, or damaged */
export function readIndex(index: Buffer): PackIndex {
  if (index.length < 8 + fanOutBytes + 40 || index.readUInt32BE(0) !== magic || index.readUInt32BE(4) !== 2) {
    throw new RangeError('It is no pack index of version 2.')
  }
  const checksum = createHash('sha1')
    .update(index.subarray(0, index.length - nameBytes))
    .digest()
  if (!checksum.equals(index.subarray(-nameBytes))) throw new RangeError('The pack index is damaged.')
  const count = index.readUInt32BE(8 + 255 * 4)
  const names = 8 + fanOutBytes
  const sums = names + count * nameBytes
  const offsets = sums + count * 4
  const largeOffsets = offsets + count * 4
  const entries = Array.from({ length: count }, (_, at) => {
    const short = index.readUInt32BE(offsets + at * 4)
    return {
      oid: index.toString('hex', names + at * nameBytes, names + (at + 1) * nameBytes) as Oid,
      crc32: index.readUInt32BE(sums + at * 4),
      offset:
        short < largeOffset ? short : Number(index.readBigUInt64BE(largeOffsets + (short - largeOffset) * 8)),
    }
  })
  return { entries, packChecksum: Buffer.from(index.subarray(-2 * nameBytes, -nameBytes)) }
}
