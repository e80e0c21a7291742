import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'

/**
 * Copies `.git/index` with its modification time. Git compares the content of a file that changed in the second in
 * which the index was written. If the copy had a later time, git would miss such an edit.
 * @see https://git-scm.com/docs/racy-git
 * @throws the system's error, such as `ENOENT` if there is no index
 */
export async function copyIndex(index: string, copy: string): Promise<void> {
  // Read the time before the copy. If the index is replaced in between, the older time only makes git read more files.
  const { mtimeMs } = await stat(index)
  await copyFile(index, copy, constants.COPYFILE_FICLONE)
  const seconds = Math.floor(mtimeMs / 1000)
  await utimes(copy, seconds, seconds)
}

/**
 * Runs git commands on a copy of `.git/index`. If they succeed, the copy replaces the index; otherwise the index stays
 * as it was. The caller holds `.git/index.lock`.
 * @param commands get the path of the copy, for `GIT_INDEX_FILE`
 */
export async function onCopyOfIndex<T>(
  { gitDir, stagingDir }: { readonly gitDir: string; readonly stagingDir: string },
  commands: (copy: string) => Promise<T>,
): Promise<T> {
  const folder = join(stagingDir, `new-${randomBytes(6).toString('hex')}`)
  const copy = join(folder, 'index')
  const index = join(gitDir, 'index')
  await mkdir(folder)
  try {
    await undefinedIfMissingAsync(copyIndex(index, copy))
    const result = await commands(copy)
    await rename(copy, index)
    return result
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
