import { readdirSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissing, undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { packDirectory } from '../process/git-directory.js'
import { entryType, nameDelta, offsetDelta } from './entry-format.js'
import { sampleOffsets } from './index-format.js'

/** A complete pack in the pack folder. */
export interface PackOnDisk {
  /** `pack-<sha1>`, without an ending. */
  readonly name: string
  readonly bytes: number
  /** Endings of its files: `pack`, `idx`, `rev`, `bitmap`… */
  readonly endings: readonly string[]
}

/** File name of the lock for merging packs, in our own folder. */
export const mergeLock = 'merge.lock'

/** Whether a file in the pack folder is a temporary file of git. @see git-prune(1), which removes them too */
export function isUnfinishedPack(name: string): boolean {
  return name.startsWith('.tmp-') || name.startsWith('tmp_')
}

/** Complete packs without a `.keep`, the smallest first. Synchronous, because there are few. */
export function listPacks(gitDir: string): readonly PackOnDisk[] {
  const folder = packDirectory(gitDir)
  const endings = new Map<string, string[]>()
  for (const file of undefinedIfMissing(() => readdirSync(folder)) ?? []) {
    const found = /^(pack-[0-9a-f]{40})\.([a-z]+)$/.exec(file)
    if (found?.[1] && found[2]) endings.set(found[1], [...(endings.get(found[1]) ?? []), found[2]])
  }
  return [...endings]
    .filter(([, has]) => has.includes('pack') && has.includes('idx') && !has.includes('keep'))
    .flatMap(([name, has]) => {
      // The pack may be gone, because another process may be repacking.
      const file = statSync(join(folder, `${name}.pack`), { throwIfNoEntry: false })
      return file ? { name, bytes: file.size, endings: has } : []
    })
    .sort((a, b) => a.bytes - b.bytes)
}

/** Number of objects sampled from a pack. In packs compressed by git, deltas are frequent. */
const sample = 64

/** The packs that git has compressed. Our own packs have whole objects only. */
export async function packsWithDeltas(gitDir: string): Promise<readonly PackOnDisk[]> {
  const found: PackOnDisk[] = []
  for (const pack of listPacks(gitDir)) {
    const path = join(packDirectory(gitDir), pack.name)
    const offsets = await withFile(`${path}.idx`, readOffsets)
    const isCompressed = await withFile(`${path}.pack`, file => hasDelta(file, offsets ?? []))
    if (isCompressed) found.push(pack)
  }
  return found
}

async function readOffsets(index: FileHandle): Promise<readonly number[]> {
  try {
    return await sampleOffsets(index, sample)
  } catch (error) {
    // A damaged pack stays unchanged; `git fsck` reports it.
    if (error instanceof RangeError) return []
    throw error
  }
}

async function hasDelta(pack: FileHandle, offsets: readonly number[]): Promise<boolean> {
  for (const offset of offsets) {
    const { buffer } = await pack.read(Buffer.alloc(1), 0, 1, offset)
    if ([offsetDelta, nameDelta].includes(entryType(buffer[0] ?? 0))) return true
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
