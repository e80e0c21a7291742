import { constants } from 'node:fs'
import { copyFile, stat, utimes } from 'node:fs/promises'

/**
 * Copies `.git/index` with its modification time. Git reads a file that changed in the same second as the index was
 * written. With a later time of the index, git would miss such an edit.
 * @see https://git-scm.com/docs/racy-git
 * @throws the system's error, such as `ENOENT` if there is no index
 */
export async function copyIndex(index: string, copy: string): Promise<void> {
  // Before the copy: if the index is replaced meanwhile, an older time only makes git read more files than necessary.
  const { mtimeMs } = await stat(index)
  await copyFile(index, copy, constants.COPYFILE_FICLONE)
  const seconds = Math.floor(mtimeMs / 1000)
  await utimes(copy, seconds, seconds)
}
