import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissingAsync } from '../file-system/durable-files.js'
import { packDirectory } from './git-directory.js'

/**
 * Settings for a git whose memory is bounded. It maps packs in small pieces: the whole of a large one would be more than
 * the bound.
 */
export const mappingLittle: readonly string[] = ['core.packedGitWindowSize=16m', 'core.packedGitLimit=128m']

/**
 * Bytes for each byte of a pack's index. It has 28 to 40 bytes for each object, and git about 400: the mapped index, a
 * table of objects, and a list of what is packed.
 */
const forIndexes = 16

/**
 * Bytes of memory that a git may have which goes through the whole repository: with the number of objects it needs more.
 * @param base what it may have in an empty one
 */
export async function memoryOfGit(gitDir: string, base: number): Promise<number> {
  const folder = packDirectory(gitDir)
  const files = (await undefinedIfMissingAsync(readdir(folder))) ?? []
  const indexes = files.filter(name => name.endsWith('.idx'))
  // Another process may be repacking.
  const sizes = await Promise.all(
    indexes.map(async name => (await undefinedIfMissingAsync(stat(join(folder, name))))?.size ?? 0),
  )
  return base + forIndexes * sizes.reduce((sum, size) => sum + size, 0)
}
