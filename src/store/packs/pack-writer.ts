import { createHash, randomBytes } from 'node:crypto'
import { renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import type { Oid } from '../../core/value-types.js'
import { type NewFile, syncDirectory, writeFilesDurably } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import type { ObjectType } from '../objects/object-reader.js'
import { packDirectory } from '../process/git-directory.js'
import { codesOfTypes, longestEntry } from './entry-format.js'
import { encodeIndex, type IndexEntry, toIndexColumns } from './index-format.js'

/** An object to write, without its header. */
export interface NewObject {
  readonly oid: Oid
  readonly type: ObjectType
  readonly bytes: Uint8Array
}

/** A pack on disk, protected from pruning until `release`. */
export interface WrittenPack {
  /** `pack-<sha1>`, without an ending. */
  readonly name: string
  /** Ends the protection, when a ref leads to the objects or never will. */
  release(): void
}

/** Sizes in bytes of what is before and after the entries of a pack. */
export const packHeaderBytes = 12
export const packChecksumBytes = 20
/** First line of our `.keep` files, which tells those of killed processes from those of other programs. */
export const keepMark = 'git-metastore: being written\n'

/**
 * Writes objects as one pack with its index. On return, both files and their names are durable. Blobs are deflated at
 * level 1. Trees and commits are stored uncompressed, because they are small; a repack compresses them.
 *
 * The temporary files are in the staging folder, because `git prune` removes `tmp_*` below `objects/`. A `.keep` file
 * comes first, because no ref leads to the objects yet.
 * @param otherFiles files to sync together with the pack, before it gets its name
 * @see gitformat-pack(5); git-prune(1); git-index-pack(1), `--keep`
 */
export async function writePack(
  gitDir: string,
  stagingDir: string,
  objects: readonly NewObject[],
  otherFiles: readonly NewFile[] = [],
): Promise<WrittenPack> {
  const { pack, entries, checksum } = encodePack(objects)
  const temporary = join(stagingDir, `new-${randomBytes(6).toString('hex')}`)
  const index = encodeIndex(toIndexColumns(entries), checksum)
  await writeFilesDurably([
    { path: `${temporary}.pack`, parts: [pack] },
    { path: `${temporary}.idx`, parts: [index] },
    ...otherFiles,
  ])
  return placePack(gitDir, temporary, `pack-${checksum.toString('hex')}`)
}

/**
 * Renames a durable pack and its index into the pack folder, durably. The order matters: the `.keep` file protects the pack
 * from the start, and the index comes last, because readers find a pack by its index.
 */
function placePack(gitDir: string, temporary: string, name: string): WrittenPack {
  const folder = packDirectory(gitDir)
  const keep = join(folder, `${name}.keep`)
  // By rename, so that a kill leaves no `.keep` without our mark.
  writeFileSync(`${temporary}.keep`, keepMark)
  renameSync(`${temporary}.keep`, keep)
  renameSync(`${temporary}.pack`, join(folder, `${name}.pack`))
  renameSync(`${temporary}.idx`, join(folder, `${name}.idx`))
  syncDirectory(folder)
  return { name, release: () => undefinedIfMissing(() => unlinkSync(keep)) }
}

interface EncodedPack {
  readonly pack: Buffer
  readonly entries: readonly IndexEntry[]
  /** The last 20 bytes of the pack. */
  readonly checksum: Buffer
}

/** Encodes all objects in one buffer, because one allocation is cheaper than one for each object. */
function encodePack(objects: readonly NewObject[]): EncodedPack {
  const room = objects.reduce(
    (sum, { bytes }) => sum + longestEntry(bytes.length),
    packHeaderBytes + packChecksumBytes,
  )
  const pack = Buffer.allocUnsafeSlow(room)
  let end = packHeader(objects.length).copy(pack)
  const entries = objects.map(({ oid, type, bytes }): IndexEntry => {
    const offset = end
    end = putEntryHeader(pack, offset, type, bytes.length)
    end = type === 'blob' ? putDeflated(pack, end, bytes) : putStored(pack, end, bytes)
    return { oid, crc32: crc32(pack.subarray(offset, end)), offset }
  })
  const checksum = createHash('sha1').update(pack.subarray(0, end)).digest()
  end += checksum.copy(pack, end)
  return { pack: pack.subarray(0, end), entries, checksum }
}

/** The first bytes of a pack of version 2. @param count number of its entries */
export function packHeader(count: number): Buffer {
  const header = Buffer.alloc(packHeaderBytes)
  header.write('PACK', 'latin1')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(count, 8)
  return header
}

/**
 * Writes type and inflated size: four bits, then seven bits a byte, least significant first.
 * @returns offset of its end
 */
function putEntryHeader(pack: Buffer, at: number, type: ObjectType, size: number): number {
  let end = at
  let byte = (codesOfTypes[type] << 4) | (size & 15)
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    pack[end++] = byte | 0x80
    byte = rest & 0x7f
  }
  pack[end++] = byte
  return end
}

/** Size in bytes up to which a blob counts as small. */
const smallBlob = 4096
/** A small window and small tables: initializing the default ones costs more than deflating a small blob. */
const forSmall = { level: 1, windowBits: 12, memLevel: 5 }
/** @returns offset of the end */
function putDeflated(pack: Buffer, at: number, bytes: Uint8Array): number {
  const small = { ...forSmall, chunkSize: longestEntry(bytes.length) }
  const deflated = deflateSync(bytes, bytes.length > smallBlob ? { level: 1 } : small)
  pack.set(deflated, at)
  return at + deflated.length
}

const longestStored = 0xffff

/**
 * Writes a zlib stream of uncompressed blocks.
 * @returns offset of its end
 * @see RFC 1950 §2.2, RFC 1951 §3.2.4
 */
function putStored(pack: Buffer, at: number, bytes: Uint8Array): number {
  const blocks = Math.max(1, Math.ceil(bytes.length / longestStored))
  let end = pack.writeUInt16BE(0x7801, at)
  for (let block = 0; block < blocks; block++) {
    const part = bytes.subarray(block * longestStored, (block + 1) * longestStored)
    end = pack.writeUInt8(block === blocks - 1 ? 1 : 0, end)
    end = pack.writeUInt16LE(part.length, end)
    end = pack.writeUInt16LE(part.length ^ 0xffff, end)
    pack.set(part, end)
    end += part.length
  }
  return pack.writeUInt32BE(adler32(bytes), end)
}

function adler32(bytes: Uint8Array): number {
  let low = 1
  let high = 0
  // The sums of 3,800 bytes stay below 2^32, so the modulus is needed once for each such block. @see RFC 1950 §9, NMAX
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
