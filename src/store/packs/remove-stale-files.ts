import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { packFolder } from '../git-commands/git-directory.js'
import { isUnfinishedPack } from './list-packs.js'

/** Milliseconds without a write after which a temporary file of git counts as abandoned. */
export const staleAfter = 24 * 60 * 60 * 1000

/** Removes stale temporary files of git once a day, in the background. */
export class StaleFileRemoval {
  #removing: Promise<void> | undefined
  /** Time of the last removal, by `performance.now()`. */
  #removedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly gitDir: string,
    private readonly report: (line: string) => void,
  ) {}

  /** Starts a removal if it is due and none is running. */
  removeIfDue(): void {
    if (this.#removing || performance.now() - this.#removedAt <= staleAfter) return
    this.#removedAt = performance.now()
    this.#removing = this.#remove().finally(() => {
      this.#removing = undefined
    })
  }

  /** Resolves when nothing is running. */
  async settled(): Promise<void> {
    await this.#removing
  }

  async #remove(): Promise<void> {
    try {
      await removeStaleFiles(this.gitDir)
    } catch (thrown) {
      this.report(`Abandoned temporary files of git could not be removed: ${String(thrown)}`)
    }
  }
}

/**
 * Removes abandoned temporary files of git: incomplete packs and objects, and quarantine folders of pushes.
 * @see git-prune(1), which removes them too
 */
async function removeStaleFiles(gitDir: string): Promise<void> {
  const objects = join(gitDir, 'objects')
  const names = await readdir(objects)
  const fans = names.filter(name => /^[0-9a-f]{2}$/.test(name)).map(name => join(objects, name))
  const places = [
    ...names.filter(name => name.startsWith('tmp_objdir-')).map(name => join(objects, name)),
    ...(await entriesOf(packFolder(gitDir), isUnfinishedPack)),
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

/** Time of the last change of a file, or of anything in a folder, in milliseconds since 1970. */
async function lastWritten(place: string): Promise<number> {
  const found = await undefinedIfMissingAsync(lstat(place))
  if (found === undefined) return Number.POSITIVE_INFINITY
  if (!found.isDirectory()) return found.mtimeMs
  const within = await entriesOf(place, () => true)
  return Math.max(found.mtimeMs, ...(await Promise.all(within.map(lastWritten))).filter(Number.isFinite))
}
