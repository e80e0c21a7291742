import { createHash } from 'node:crypto'
import { constants, deflateRawSync, deflateSync } from 'node:zlib'

/* Makes packs that git itself would not make. @see gitformat-pack(5) */

const types = { commit: 1, tree: 2, blob: 3, 'offset-delta': 6 } as const

export interface PackEntry {
  readonly type: keyof typeof types
  /** Number of unpacked bytes. */
  readonly size: number
  readonly compressed: Buffer
  /** For a delta: the number of entries from its base to it. */
  readonly base?: number
}

export interface PackedObject extends PackEntry {
  /** Id of the object. */
  readonly oid: string
}

export function packEntryOf(type: 'commit' | 'tree' | 'blob', content: string | Uint8Array): PackedObject {
  const bytes = Buffer.from(content as string)
  const oid = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')
  return { type, size: bytes.length, compressed: deflateSync(bytes), oid }
}

/** Zeros that are compressed once and repeated, because compression is slow. */
const zeros = Buffer.alloc(2 ** 22)
const compressedZeros = deflateRawSync(zeros, { level: 9, finishFlush: constants.Z_FULL_FLUSH })

/**
 * Makes a blob of zeros, which is a thousand times smaller in a pack.
 * @see RFC 1950, for the format and the checksum
 */
export function blobOfZeros(size: number): PackedObject {
  const hash = createHash('sha1').update(`blob ${size}\0`)
  const count = Math.floor(size / zeros.length)
  for (let n = 0; n < count; n++) hash.update(zeros)
  const rest = zeros.subarray(0, size % zeros.length)
  hash.update(rest)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE((size % 65_521) * 65_536 + 1)
  const compressed = Buffer.concat([
    Buffer.from([0x78, 0xda]),
    ...new Array<Buffer>(count).fill(compressedZeros),
    deflateRawSync(rest, { level: 9 }),
    checksum,
  ])
  return { type: 'blob', size, compressed, oid: hash.digest('hex') }
}

/** Makes a delta that repeats the first bytes of its base. @param base number of entries from the base to the delta */
export function repeatingDelta(
  count: number,
  from: { readonly size: number },
  base = 1,
): PackEntry & { readonly size: number } {
  const each = Math.min(from.size, 0xffffff)
  // A copy instruction from offset 0, with three bytes for the length.
  const copy = Buffer.from([0xf0, each & 0xff, (each >> 8) & 0xff, (each >> 16) & 0xff])
  const delta = Buffer.concat([
    number(from.size),
    number(each * count),
    ...new Array<Buffer>(count).fill(copy),
  ])
  return { type: 'offset-delta', size: delta.length, compressed: deflateSync(delta), base }
}

/** Makes the bytes of a pack. @param count number of objects in the header; default: the real number */
export function packBytes(entries: readonly PackEntry[], count = entries.length): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(count, 8)
  const parts: Buffer[] = [head]
  const offsets: number[] = []
  let at = head.length
  for (const [place, { type, size, compressed, base }] of entries.entries()) {
    offsets.push(at)
    const made = [
      entryHead(types[type], size),
      ...(base === undefined ? [] : [distance(at - (offsets[place - base] ?? 0))]),
      compressed,
    ]
    parts.push(...made)
    at += made.reduce((sum, { length }) => sum + length, 0)
  }
  const content = Buffer.concat(parts)
  return Buffer.concat([content, createHash('sha1').update(content).digest()])
}

/** Encodes a number in groups of seven bits, lowest group first. */
function number(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    bytes.push((left % 128) | (left >= 128 ? 0x80 : 0))
    if (left < 128) return Buffer.from(bytes)
  }
}

function entryHead(type: number, size: number): Buffer {
  const rest = Math.floor(size / 16)
  const first = (type << 4) | (size % 16)
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 0x80]), number(rest)])
}

/**
 * Encodes the distance to a base in groups of seven bits, highest group first. All groups but the last are reduced by
 * one.
 */
function distance(bytes: number): Buffer {
  const groups = [bytes % 128]
  for (let left = Math.floor(bytes / 128); left > 0; left = Math.floor(left / 128)) {
    left--
    groups.unshift((left % 128) | 0x80)
  }
  return Buffer.from(groups)
}
