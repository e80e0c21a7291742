import { readdirSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { staleAfter } from '../packs/remove-stale-files.js'

/** Milliseconds after which a file that is written without the writer lock counts as abandoned. */
const abandonedAfter = 60_000

/** Removes temporary files of killed processes from our own folder. The caller holds the writer lock. */
export function clearTemporaryFiles(ownDir: string): void {
  for (const name of readdirSync(ownDir)) {
    const path = join(ownDir, name)
    // A `checkout-` entry may be a folder with files. A process may remove its spare files meanwhile.
    if (/^(checkout|new|probe)-[0-9a-f]{12}(\.pack|\.idx|\.keep)?$/.test(name))
      rmSync(path, { recursive: true, force: true })
    // Another process may be writing the file, or have renamed it.
    else if (/^(info|hook)-[0-9a-f]{12}$/.test(name) && isOlder(path, abandonedAfter))
      undefinedIfMissing(() => unlinkSync(path))
    // A search for damage reads the whole repository, so it may take hours.
    else if (/^look-[0-9a-f]{12}$/.test(name) && isOlder(path, staleAfter)) rmSync(path, { recursive: true })
  }
}

function isOlder(path: string, age: number): boolean {
  const changed = undefinedIfMissing(() => statSync(path).mtimeMs)
  return changed !== undefined && Date.now() - changed > age
}
