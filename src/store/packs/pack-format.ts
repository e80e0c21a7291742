import { deflateSync, inflateSync } from 'node:zlib'
import type { ObjectType } from '../objects/object-reader.js'

/*
 * Reads and writes the format of packs in memory. Malformed bytes throw a RangeError or an error with a zlib code.
 * @see gitformat-pack(5)
 */

/** Sizes of what is before and after the entries of a pack, in bytes. */
export const packHeaderBytes = 12
export const packChecksumBytes = 20

/** The first bytes of a pack of version 2. @param count number of its entries */
export function packHeader(count: number): Buffer {
  const header = Buffer.alloc(packHeaderBytes)
  header.write('PACK', 'latin1')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(count, 8)
  return header
}

const codeByType: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }
/** Types of objects by the codes of entries that are not deltas. */
export const typeByCode: Readonly<Record<number, ObjectType>> = Object.fromEntries(
  Object.entries(codeByType).map(([type, code]) => [code, type as ObjectType]),
)
/** Type of an entry that is a delta and has the distance to its base. */
export const offsetDelta = 6
/** Type of an entry that is a delta and has the name of its base. */
export const refDelta = 7

/** The type of an entry, in the first byte of its header. */
export function entryType(firstByte: number): number {
  return (firstByte >> 4) & 7
}

export interface EntryHeader {
  readonly type: number
  /** Inflated size of the object or delta, in bytes. */
  readonly size: number
  /** Offset of the end of the header. */
  readonly end: number
}

function byteAt(bytes: Buffer, offset: number): number {
  const byte = bytes[offset]
  if (byte === undefined) throw new RangeError('The entry is cut off.')
  return byte
}

/** Parses type and inflated size. The first byte has the lowest four bits of the size, each further byte seven more. */
export function parseEntryHeader(entry: Buffer): EntryHeader {
  let byte = byteAt(entry, 0)
  const type = entryType(byte)
  let size = byte & 15
  let end = 1
  for (let factor = 16; byte & 0x80; factor *= 128) {
    byte = byteAt(entry, end++)
    size += (byte & 0x7f) * factor
  }
  return { type, size, end }
}

/** Parses the distance from an entry back to its base: highest bits first, and each further byte adds one. */
export function parseDeltaOffset(
  entry: Buffer,
  offset: number,
): { readonly distance: number; readonly end: number } {
  let end = offset
  let byte = byteAt(entry, end++)
  let distance = byte & 0x7f
  while (byte & 0x80) {
    byte = byteAt(entry, end++)
    distance = (distance + 1) * 128 + (byte & 0x7f)
  }
  return { distance, end }
}

/**
 * Upper bound of an entry, its header and its deflated data, in bytes. It is above zlib's own bound for all settings.
 * @see https://zlib.net/manual.html, `deflateBound`
 */
export function maxEntryLength(size: number): number {
  return size + Math.ceil(size / 8) + 100
}

/**
 * Inflates an object or delta.
 * @param bytes deflated data, optionally followed by other bytes
 * @param size inflated size in bytes
 */
export function inflateEntry(bytes: Buffer, size: number): Buffer {
  // One extra byte, because Node.js calls zlib again after a chunk that is full.
  const chunkSize = Math.min(Math.max(64, size + 1), 1 << 20)
  const found = inflateSync(bytes, { chunkSize, maxOutputLength: Math.max(1, size) })
  if (found.length !== size) throw new RangeError('The length of the entry is wrong.')
  return found
}

/**
 * Applies a delta to its base.
 * @param maxBytes limit of the result in bytes: a short delta can expand to many bytes
 * @see gitformat-pack(5), "Deltified representation"
 */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  let offset = 0
  const readNumber = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = byteAt(delta, offset++)
      value += (byte & 0x7f) * factor
      if (!(byte & 0x80)) return value
    }
  }
  /** Reads a number. For each byte of the number, a bit says whether the byte is stored; otherwise the byte is 0. */
  const readSparse = (bits: number, count: number) => {
    let value = 0
    for (let byte = 0; byte < count; byte++)
      if (bits & (1 << byte)) value += byteAt(delta, offset++) * 256 ** byte
    return value
  }
  if (readNumber() !== base.length) throw new RangeError('The delta has another base.')
  const size = readNumber()
  if (size > maxBytes) throw new RangeError('The result of the delta exceeds the limit.')
  const parts: Buffer[] = []
  let made = 0
  while (offset < delta.length) {
    const instruction = byteAt(delta, offset++)
    if (instruction & 0x80) {
      const from = readSparse(instruction, 4)
      const length = readSparse(instruction >> 4, 3) || 0x10000
      parts.push(base.subarray(from, from + length))
      made += length
    } else {
      parts.push(delta.subarray(offset, offset + instruction))
      made += instruction
      offset += instruction
    }
    if (made > size) throw new RangeError('The result of the delta is too long.')
  }
  const result = Buffer.concat(parts)
  if (result.length !== size) throw new RangeError('The length of the delta is wrong.')
  return result
}

/** Whether the error is about malformed bytes, not about reading them. */
export function isCorruptEntry(error: unknown): boolean {
  return (
    error instanceof RangeError ||
    (error instanceof Error && 'code' in error && /^Z_/.test(String(error.code)))
  )
}

/**
 * Writes type and inflated size, as {@link parseEntryHeader} reads them.
 * @returns offset of the end of the header
 */
export function putEntryHeader(pack: Buffer, offset: number, type: ObjectType, size: number): number {
  let end = offset
  let byte = (codeByType[type] << 4) | (size & 15)
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    pack[end++] = byte | 0x80
    byte = rest & 0x7f
  }
  pack[end++] = byte
  return end
}

/** Limit of a small blob, in bytes. */
const smallBlob = 4096
/** Settings of zlib with a small window and small tables: to initialize large ones takes longer than to deflate. */
const forSmall = { level: 1, windowBits: 12, memLevel: 5 }

/** Writes deflated bytes. @returns offset of their end */
export function putDeflated(pack: Buffer, offset: number, bytes: Uint8Array): number {
  const isSmall = bytes.length <= smallBlob
  const settings = isSmall ? { ...forSmall, chunkSize: maxEntryLength(bytes.length) } : { level: 1 }
  const deflated = deflateSync(bytes, settings)
  pack.set(deflated, offset)
  return offset + deflated.length
}

/** Bytes of an uncompressed block. */
const maxStoredBlock = 0xffff

/**
 * Writes a zlib stream of uncompressed blocks, by hand: zlib at level 0 first initializes 256 KiB for each stream, which
 * takes 15 times as long as the copy of a tree.
 * @returns offset of the end of the stream
 * @see RFC 1950 §2.2, RFC 1951 §3.2.4
 */
export function putStored(pack: Buffer, offset: number, bytes: Uint8Array): number {
  let end = pack.writeUInt16BE(0x7801, offset)
  let at = 0
  do {
    const block = bytes.subarray(at, at + maxStoredBlock)
    at += block.length
    end = pack.writeUInt8(at === bytes.length ? 1 : 0, end)
    end = pack.writeUInt16LE(block.length, end)
    end = pack.writeUInt16LE(block.length ^ 0xffff, end)
    pack.set(block, end)
    end += block.length
  } while (at < bytes.length)
  return pack.writeUInt32BE(adler32(bytes), end)
}

/** Limit of the bytes of which the sums stay exact without a modulus. @see RFC 1950 §9, `NMAX` */
const maxUnreduced = 3800
const adlerBase = 65_521

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0]
  for (let start = 0; start < bytes.length; start += maxUnreduced) {
    const end = Math.min(start + maxUnreduced, bytes.length)
    for (let at = start; at < end; at++) {
      low += bytes[at] as number
      high += low
    }
    low %= adlerBase
    high %= adlerBase
  }
  return high * 65_536 + low
}
