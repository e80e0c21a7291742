import { createHash, randomBytes } from 'node:crypto'
import { renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import type { Oid } from '../core/values.js'
import { type NewFile, orMissing, syncDirectory, writeTogether } from './durable.js'
import type { ObjectType } from './objects.js'
import { columnsOf, encodeIndex, type IndexEntry } from './pack-index.js'

/** An object that is to be written, without its header. */
export interface NewObject {
  readonly oid: Oid
  readonly type: ObjectType
  readonly bytes: Uint8Array
}

/** A pack that is on disk, protected from pruning until `release`. */
export interface WrittenPack {
  /** `pack-<sha1>`, without its ending. */
  readonly name: string
  /** Lets go of the protection: something refers to the objects now, or never will. */
  release(): void
}

const typeNumbers = { commit: 1, tree: 2, blob: 3, tag: 4 } as const
/** First line of our `.keep` files, so that the ones a kill has left can be told from a person's. */
export const keepMark = 'git-metastore: being written\n'

/** The name of an object. @see git-hash-object(1) */
export function objectName(type: ObjectType, bytes: Uint8Array): Oid {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex') as Oid
}

/**
 * Writes objects as one pack with its index, durably: on return pack, index and their names are on disk. Blobs are
 * deflated at level 1; trees and commits are small and short-lived, so they are stored, and merging compresses them.
 *
 * The temporary names lie in our own folder, because `git prune` removes everything called `tmp_*` below `objects/`
 * whatever it is; and a `.keep` comes first, because nothing refers to the objects yet.
 * @param beside files that are made durable together with the pack, before it gets its name
 * @see gitformat-pack(5); git-prune(1); git-index-pack(1), `--keep`
 */
export async function writePack(
  gitDir: string,
  ownDir: string,
  objects: readonly NewObject[],
  beside: readonly NewFile[] = [],
): Promise<WrittenPack> {
  const parts: Uint8Array[] = [packHeader(objects.length)]
  const entries: IndexEntry[] = []
  const hash = createHash('sha1').update(parts[0] as Uint8Array)
  let offset = 12
  for (const { oid, type, bytes } of objects) {
    const head = entryHeader(type, bytes.length)
    const body = type === 'blob' ? deflateSync(bytes, { level: 1 }) : stored(bytes)
    hash.update(head).update(body)
    entries.push({ oid, crc32: crc32(body, crc32(head)), offset })
    offset += head.length + body.length
    parts.push(head, body)
  }
  const checksum = hash.digest()
  parts.push(checksum)
  const temporary = join(ownDir, `new-${randomBytes(6).toString('hex')}`)
  const index = encodeIndex(columnsOf(entries), checksum)
  await writeTogether([
    { path: `${temporary}.pack`, parts },
    { path: `${temporary}.idx`, parts: [index] },
    ...beside,
  ])
  return placePack(gitDir, temporary, `pack-${checksum.toString('hex')}`)
}

/** Puts a pack and its index, which are durable, in their place, durably and kept. */
function placePack(gitDir: string, temporary: string, name: string): WrittenPack {
  const folder = join(gitDir, 'objects', 'pack')
  const keep = join(folder, `${name}.keep`)
  // By rename, so that a kill leaves no `.keep` without our mark in it.
  writeFileSync(`${temporary}.keep`, keepMark)
  renameSync(`${temporary}.keep`, keep)
  renameSync(`${temporary}.pack`, join(folder, `${name}.pack`))
  renameSync(`${temporary}.idx`, join(folder, `${name}.idx`))
  syncDirectory(folder)
  return { name, release: () => orMissing(() => unlinkSync(keep)) }
}

export function packHeader(count: number): Buffer {
  const header = Buffer.alloc(12)
  header.write('PACK', 'latin1')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(count, 8)
  return header
}

/** Type and inflated size, seven bits a byte, least significant first after the first four. */
function entryHeader(type: ObjectType, size: number): Buffer {
  const bytes: number[] = []
  let byte = (typeNumbers[type] << 4) | (size & 15)
  let rest = Math.floor(size / 16)
  while (rest > 0) {
    bytes.push(byte | 0x80)
    byte = rest & 0x7f
    rest = Math.floor(rest / 128)
  }
  bytes.push(byte)
  return Buffer.from(bytes)
}

const longestStored = 0xffff

/** A zlib stream that holds the bytes as they are. @see RFC 1950 §2.2, RFC 1951 §3.2.4 */
function stored(bytes: Uint8Array): Buffer {
  const blocks = Math.max(1, Math.ceil(bytes.length / longestStored))
  const out = Buffer.allocUnsafe(2 + blocks * 5 + bytes.length + 4)
  out.writeUInt16BE(0x7801, 0)
  let at = 2
  for (let block = 0; block < blocks; block++) {
    const part = bytes.subarray(block * longestStored, (block + 1) * longestStored)
    out.writeUInt8(block === blocks - 1 ? 1 : 0, at)
    out.writeUInt16LE(part.length, at + 1)
    out.writeUInt16LE(part.length ^ 0xffff, at + 3)
    out.set(part, at + 5)
    at += 5 + part.length
  }
  out.writeUInt32BE(adler32(bytes), at)
  return out
}

function adler32(bytes: Uint8Array): number {
  let low = 1
  let high = 0
  // 3,800 sums stay below 2^32, so the modulus is only due that often. @see RFC 1950 §9, NMAX
  for (let start = 0; start < bytes.length; start += 3800) {
    const end = Math.min(start + 3800, bytes.length)
    for (let at = start; at < end; at++) {
      low += bytes[at] as number
      high += low
    }
    low %= 65521
    high %= 65521
  }
  return high * 65536 + low
}
