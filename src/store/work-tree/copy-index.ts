import { constants } from 'node:fs'
import { copyFile, stat, utimes } from 'node:fs/promises'

/**
 * Copies `.git/index` together with its time. Git looks into a file that was changed in the second its index was
 * written in, as its entry may say that nothing has changed since; by a younger copy it would not, and miss the edit.
 * @see https://git-scm.com/docs/racy-git
 * @throws the system's error, as `ENOENT` where there is no index
 */
export async function copyIndex(index: string, copy: string): Promise<void> {
  // Before: one that was replaced meanwhile is younger, and git looks into more than it has to.
  const { mtimeMs } = await stat(index)
  await copyFile(index, copy, constants.COPYFILE_FICLONE)
  const seconds = Math.floor(mtimeMs / 1000)
  await utimes(copy, seconds, seconds)
}
