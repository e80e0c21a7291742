import { hash, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Oid } from '../../core/value-types.js'
import {
  type CreateFile,
  type NewFile,
  replaceFileDurably,
  syncFolder,
  writeFilesDurably,
} from '../file-system/durable-files.js'
import { hasErrorCode, isWithoutHardLinks, undefinedIfMissing } from '../file-system/file-errors.js'
import { packFolder } from '../git-commands/git-directory.js'
import type { ObjectType } from '../objects/object-reader.js'
import { encodeIndex, type PackIndexEntry, toIndexColumns } from './index-format.js'
import {
  maxEntryLength,
  packChecksumBytes,
  packHeader,
  packHeaderBytes,
  putDeflated,
  putEntryHeader,
  putStored,
} from './pack-format.js'

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

/** A pack whose bytes are durable, in the staging folder. */
interface StagedPack {
  /** Puts the pack where git looks. On return, its names are durable. After an error, nothing is staged any more. */
  place(): WrittenPack
  /** Removes the staged files. */
  discard(): void
}

interface StagingOptions {
  /** Files to sync together with the pack. */
  readonly otherFiles?: readonly NewFile[]
  /** Default: {@link createFile} */
  readonly create?: CreateFile
  /** See {@link makeKeepFile}; default: the `.keep` file is no hard link. */
  readonly keepFile?: string
}

/** First line of our `.keep` files, which tells those of killed processes from those of other programs. */
export const keepMark = 'git-metastore: being written\n'

/** Writes objects as one pack with its index. On return, both files and their names are durable. */
export async function writePack(
  gitDir: string,
  stagingDir: string,
  objects: readonly NewObject[],
): Promise<WrittenPack> {
  return (await stagePack(gitDir, stagingDir, objects)).place()
}

/**
 * Writes objects as one pack with its index. Blobs are deflated at level 1. Trees and commits are stored uncompressed,
 * because they are small; a repack compresses them.
 *
 * The temporary files are in the staging folder, because `git prune` removes `tmp_*` below `objects/`. A `.keep` file
 * comes before the pack, because no ref leads to the objects yet.
 * @see gitformat-pack(5); git-prune(1); git-index-pack(1), `--keep`
 */
export async function stagePack(
  gitDir: string,
  stagingDir: string,
  objects: readonly NewObject[],
  { otherFiles = [], create, keepFile }: StagingOptions = {},
): Promise<StagedPack> {
  const { pack, entries, checksum } = encodePack(objects)
  const temporary = join(stagingDir, `new-${randomBytes(6).toString('hex')}`)
  const index = encodeIndex(toIndexColumns(entries), checksum)
  const files = [
    { path: `${temporary}.pack`, parts: [pack] },
    { path: `${temporary}.idx`, parts: [index] },
  ]
  await writeFilesDurably([...files, ...otherFiles], create)
  const name = `pack-${checksum.toString('hex')}`
  const folder = packFolder(gitDir)
  function discard(): void {
    for (const { path } of files) undefinedIfMissing(() => unlinkSync(path))
  }
  return {
    place() {
      const release = protectPack(folder, temporary, name, keepFile)
      try {
        placePack(folder, temporary, name)
      } catch (thrown) {
        release()
        discard()
        throw thrown
      }
      return { name, release }
    },
    discard,
  }
}

/** Makes the `.keep` file of a pack, which protects the pack from the start. */
function protectPack(folder: string, temporary: string, name: string, keepFile?: string): () => void {
  const keep = join(folder, `${name}.keep`)
  if (keepFile === undefined || !linkKeep(keepFile, keep)) {
    // By rename, so that a kill leaves no `.keep` without our mark.
    writeFileSync(`${temporary}.keep`, keepMark)
    renameSync(`${temporary}.keep`, keep)
  }
  return () => undefinedIfMissing(() => unlinkSync(keep))
}

/**
 * Makes a `.keep` file as a hard link.
 * @returns false if the file system has no hard links, the pack has a `.keep` file already, or `keepFile` is missing
 */
function linkKeep(keepFile: string, keep: string): boolean {
  try {
    linkSync(keepFile, keep)
    return true
  } catch (thrown) {
    if (!isWithoutHardLinks(thrown) && !hasErrorCode(thrown, 'EEXIST', 'ENOENT')) throw thrown
    return false
  }
}

/**
 * Makes the file in the staging folder of which `.keep` files are hard links, because making a file can take longer than
 * writing a pack. It stays there, and all processes use it.
 * @returns its path
 */
export function makeKeepFile(stagingDir: string): string {
  const keepFile = join(stagingDir, 'keep')
  if (undefinedIfMissing(() => readFileSync(keepFile, 'latin1')) !== keepMark)
    replaceFileDurably(keepFile, keepMark)
  return keepFile
}

/**
 * Renames a pack and its index, whose bytes are durable, into the pack folder, durably. The index comes last, because
 * readers find a pack by its index.
 * @param temporary path of both files without their endings
 */
export function placePack(folder: string, temporary: string, name: string): void {
  renameSync(`${temporary}.pack`, join(folder, `${name}.pack`))
  renameSync(`${temporary}.idx`, join(folder, `${name}.idx`))
  syncFolder(folder)
}

interface EncodedPack {
  readonly pack: Buffer
  readonly entries: readonly PackIndexEntry[]
  /** The last 20 bytes of the pack. */
  readonly checksum: Buffer
}

/** Encodes all objects in one buffer, because one allocation is cheaper than one for each object. */
function encodePack(objects: readonly NewObject[]): EncodedPack {
  const room = objects.reduce(
    (sum, { bytes }) => sum + maxEntryLength(bytes.length),
    packHeaderBytes + packChecksumBytes,
  )
  const pack = Buffer.allocUnsafeSlow(room)
  let end = packHeader(objects.length).copy(pack)
  const entries = objects.map(({ oid, type, bytes }): PackIndexEntry => {
    const offset = end
    end = putEntryHeader(pack, offset, type, bytes.length)
    end = type === 'blob' ? putDeflated(pack, end, bytes) : putStored(pack, end, bytes)
    return { oid, crc32: crc32(pack.subarray(offset, end)), offset }
  })
  const checksum = hash('sha1', pack.subarray(0, end), 'buffer')
  end += checksum.copy(pack, end)
  return { pack: pack.subarray(0, end), entries, checksum }
}

/** Bytes of objects, not deflated, after which a pack is written. */
const packSize = 32 * 1024 * 1024

/**
 * Collects objects and writes them in large packs. `end` writes the rest.
 * @param onPack called with each written pack
 */
export function openBufferedPackWriter(
  gitDir: string,
  stagingDir: string,
  onPack: (pack: WrittenPack) => void,
) {
  let waiting = new Map<Oid, NewObject>()
  let waitingBytes = 0
  async function end(): Promise<void> {
    if (waiting.size > 0) onPack(await writePack(gitDir, stagingDir, [...waiting.values()]))
    waiting = new Map()
    waitingBytes = 0
  }
  return {
    end,
    async write(object: NewObject) {
      if (waiting.has(object.oid)) return
      waiting.set(object.oid, object)
      waitingBytes += object.bytes.length
      if (waitingBytes >= packSize) await end()
    },
  }
}
