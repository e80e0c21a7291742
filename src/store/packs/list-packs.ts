import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { packFolder } from '../git-commands/git-directory.js'

/** A complete pack in the pack folder. */
export interface PackOnDisk {
  /** `pack-<sha1>`, without an ending. */
  readonly name: string
  readonly bytes: number
  /** Endings of the pack's files: `pack`, `idx`, `rev`, `bitmap`… */
  readonly endings: readonly string[]
}

/** Whether a file in the pack folder is a temporary file of git. @see git-prune(1), which removes them too */
export function isUnfinishedPack(name: string): boolean {
  return name.startsWith('.tmp-') || name.startsWith('tmp_')
}

/** Complete packs without a `.keep` file, the smallest first. Synchronous, because there are few packs. */
export function listPacks(gitDir: string): readonly PackOnDisk[] {
  const folder = packFolder(gitDir)
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
