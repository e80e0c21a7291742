import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from './durable.js'

export interface PackOnDisk {
  /** `pack-<sha1>`, without its ending. */
  readonly name: string
  readonly bytes: number
  /** Endings of what belongs to it: `pack`, `idx`, `rev`, `bitmap`… */
  readonly endings: readonly string[]
}

export function packFolder(gitDir: string): string {
  return join(gitDir, 'objects', 'pack')
}

/** Complete packs without a `.keep`, the smallest first. */
export async function listPacks(gitDir: string): Promise<readonly PackOnDisk[]> {
  const folder = packFolder(gitDir)
  const endings = new Map<string, string[]>()
  for (const file of (await unlessMissing(readdir(folder))) ?? []) {
    const found = /^(pack-[0-9a-f]{40})\.([a-z]+)$/.exec(file)
    if (found?.[1] && found[2]) endings.set(found[1], [...(endings.get(found[1]) ?? []), found[2]])
  }
  const packs = await Promise.all(
    [...endings]
      .filter(([, has]) => has.includes('pack') && has.includes('idx') && !has.includes('keep'))
      .map(async ([name, has]) => {
        // Somebody else may be repacking.
        const file = await unlessMissing(stat(join(folder, `${name}.pack`)))
        return file && { name, bytes: file.size, endings: has }
      }),
  )
  return packs.filter(pack => pack !== undefined).sort((a, b) => a.bytes - b.bytes)
}
