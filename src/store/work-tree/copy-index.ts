import { constants } from 'node:fs'
import { copyFile, mkdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import type { GitDirectory } from '../git-commands/git-directory.js'

type IndexFolders = Pick<GitDirectory, 'gitDir' | 'stagingDir'>

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
  folders: IndexFolders,
  commands: (copy: string) => Promise<T>,
): Promise<T> {
  return await replaceIndex(folders, async (copy, index) => {
    await undefinedIfMissingAsync(copyIndex(index, copy))
    return await commands(copy)
  })
}

/**
 * Replaces `.git/index` by a file that `make` writes. If `make` fails, the index stays as it was. The caller holds
 * `.git/index.lock`.
 */
export async function replaceIndex<T>(
  { gitDir, stagingDir }: IndexFolders,
  make: (made: string, index: string) => Promise<T>,
): Promise<T> {
  const folder = join(stagingDir, 'index')
  const made = join(folder, 'index')
  const index = join(gitDir, 'index')
  // A killed process may have left the folder.
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  try {
    const result = await make(made, index)
    await rename(made, index)
    return result
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
