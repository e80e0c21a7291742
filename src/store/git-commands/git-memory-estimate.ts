import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { packFolder } from './git-directory.js'

/**
 * Settings for a git with limited memory: it maps packs in small windows, because a whole pack may exceed the limit.
 */
export const mappingLittle: readonly string[] = ['core.packedGitWindowSize=16m', 'core.packedGitLimit=128m']

/**
 * Bytes of git's memory for each byte of a pack index. An index has 28 to 40 bytes for each object. Git needs about 400
 * bytes for each object: for the mapped index, a table of objects, and a list of what is packed.
 */
const forIndexes = 16

/**
 * Memory limit in bytes for a git that reads the whole repository. It grows with the size of the pack indexes, and so
 * with the number of packed objects.
 * @param base limit in bytes for a repository without packs
 */
export async function memoryOfGit(gitDir: string, base: number): Promise<number> {
  const folder = packFolder(gitDir)
  const files = (await undefinedIfMissingAsync(readdir(folder))) ?? []
  const indexes = files.filter(name => name.endsWith('.idx'))
  // An index may disappear, because another process may be repacking.
  const sizes = await Promise.all(
    indexes.map(async name => (await undefinedIfMissingAsync(stat(join(folder, name))))?.size ?? 0),
  )
  return base + forIndexes * sizes.reduce((sum, size) => sum + size, 0)
}
