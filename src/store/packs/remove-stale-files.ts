import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissingAsync } from '../file-system/durable-files.js'
import { packDirectory } from '../process/git-directory.js'
import { isUnfinishedPack } from './list-packs.js'

/** Milliseconds after which nobody writes to a temporary file of git any more that was not written to meanwhile. */
export const staleAfter = 24 * 60 * 60 * 1000

/**
 * Removes what a git that was killed has left: half-written packs and objects, and folders with what a push had brought
 * that was not accepted. A git that is still at it has written lately.
 * @see git-prune(1), which removes them as well
 */
export async function removeStaleFiles(gitDir: string): Promise<void> {
  const objects = join(gitDir, 'objects')
  const names = await readdir(objects)
  const fans = names.filter(name => /^[0-9a-f]{2}$/.test(name)).map(name => join(objects, name))
  const places = [
    ...names.filter(name => name.startsWith('tmp_objdir-')).map(name => join(objects, name)),
    ...(await entriesOf(packDirectory(gitDir), isUnfinishedPack)),
    ...(await Promise.all(fans.map(folder => entriesOf(folder, name => name.startsWith('tmp_obj_'))))).flat(),
  ]
  for (const place of places) {
    if ((await lastWritten(place)) < Date.now() - staleAfter) {
      await rm(place, { recursive: true, force: true })
    }
  }
}

async function entriesOf(folder: string, isWanted: (name: string) => boolean): Promise<readonly string[]> {
  const names = (await undefinedIfMissingAsync(readdir(folder))) ?? []
  return names.filter(isWanted).map(name => join(folder, name))
}

/** Milliseconds since 1970 of the last change of a file, or of anything in a folder. */
async function lastWritten(place: string): Promise<number> {
  const found = await undefinedIfMissingAsync(lstat(place))
  if (found === undefined) return Number.POSITIVE_INFINITY
  if (!found.isDirectory()) return found.mtimeMs
  const within = await entriesOf(place, () => true)
  return Math.max(found.mtimeMs, ...(await Promise.all(within.map(lastWritten))).filter(Number.isFinite))
}
