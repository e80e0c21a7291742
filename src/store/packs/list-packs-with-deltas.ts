import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { packFolder } from '../git-commands/git-directory.js'
import { checkIndexHead, countUpTo, largeOffset, layoutOf, namesAt } from './index-format.js'
import { listPacks, type PackOnDisk } from './list-packs.js'
import { entryType, offsetDelta, refDelta } from './pack-format.js'

/** Number of objects that are looked at in a pack. If git has compressed the pack, many of its objects are deltas. */
const sampleSize = 64

/** The packs that git has compressed. Our own packs have whole objects only. */
export async function listPacksWithDeltas(gitDir: string): Promise<readonly PackOnDisk[]> {
  const found: PackOnDisk[] = []
  for (const pack of listPacks(gitDir)) {
    const path = join(packFolder(gitDir), pack.name)
    const offsets = await withFile(`${path}.idx`, sampleOffsets)
    const isCompressed = await withFile(`${path}.pack`, file => hasDelta(file, offsets ?? []))
    if (isCompressed) found.push(pack)
  }
  return found
}

/**
 * Reads the offsets of some objects without reading the whole index, which may have hundreds of megabytes. The objects
 * are at equal distances in the order of names. None for a damaged index, which `git fsck` reports.
 */
async function sampleOffsets(index: FileHandle): Promise<readonly number[]> {
  try {
    const head = await readAt(index, 0, namesAt)
    checkIndexHead(head)
    const count = countUpTo(head)
    const { offsetsAt } = layoutOf(count)
    const sampled = Math.min(sampleSize, count)
    const offsets: number[] = []
    for (let number = 0; number < sampled; number++) {
      const entry = Math.floor((number * count) / sampled)
      const offset = (await readAt(index, offsetsAt + entry * 4, 4)).readUInt32BE(0)
      if (offset < largeOffset) offsets.push(offset)
    }
    return offsets
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position)
  if (bytesRead < bytes) throw new RangeError('The pack index is cut off.')
  return buffer
}

async function hasDelta(pack: FileHandle, offsets: readonly number[]): Promise<boolean> {
  for (const offset of offsets) {
    const { buffer } = await pack.read(Buffer.alloc(1), 0, 1, offset)
    if ([offsetDelta, refDelta].includes(entryType(buffer[0] ?? 0))) return true
  }
  return false
}

/** @returns undefined if the file is gone, because another process may be repacking */
async function withFile<T>(path: string, job: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  const file = await undefinedIfMissingAsync(open(path))
  try {
    return file && (await job(file))
  } finally {
    await file?.close()
  }
}
