import { readdirSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissing, undefinedIfMissingAsync } from '../file-system/durable-files.js'
import { packDirectory } from '../process/git-directory.js'
import { sampleOffsets } from './index-format.js'

export interface PackOnDisk {
  /** `pack-<sha1>`, without its ending. */
  readonly name: string
  readonly bytes: number
  /** Endings of what belongs to it: `pack`, `idx`, `rev`, `bitmap`… */
  readonly endings: readonly string[]
}

/** Name of the lock in our own folder whose holder merges packs. */
export const mergeLock = 'merge.lock'

/** Whether a file there is one that git, killed or at it, has not finished. @see git-prune(1), which removes them as well */
export function isUnfinishedPack(name: string): boolean {
  return name.startsWith('.tmp-') || name.startsWith('tmp_')
}

/** Complete packs without a `.keep`, the smallest first. There are few: to look at one costs less than a promise of it. */
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
      // Somebody else may be repacking.
      const file = statSync(join(folder, `${name}.pack`), { throwIfNoEntry: false })
      return file ? { name, bytes: file.size, endings: has } : []
    })
    .sort((a, b) => a.bytes - b.bytes)
}

/** Objects of a pack that are looked at: of packs that git has compressed, about every second one is a delta. */
const sample = 64
/** Types of entries that are deltas, by offset and by name. @see gitformat-pack(5) */
const deltaTypes: readonly number[] = [6, 7]

/** The packs that git has compressed: ours have none but whole objects. */
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
    // A damaged pack stays as it is, for `git fsck` to tell of it.
    if (error instanceof RangeError) return []
    throw error
  }
}

async function hasDelta(pack: FileHandle, offsets: readonly number[]): Promise<boolean> {
  for (const offset of offsets) {
    const { buffer } = await pack.read(Buffer.alloc(1), 0, 1, offset)
    if (deltaTypes.includes(((buffer[0] ?? 0) >> 4) & 7)) return true
  }
  return false
}

/** @returns undefined where the file is gone: somebody else may be repacking */
async function withFile<T>(path: string, job: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  const file = await undefinedIfMissingAsync(open(path))
  try {
    return file && (await job(file))
  } finally {
    await file?.close()
  }
}
