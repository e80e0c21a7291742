import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './file-errors.js'

/**
 * Creates a folder and its missing parents.
 * @throws Error with the system's own code
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
  } catch (error) {
    // On a read-only disk, recursive mkdir fails with ENOENT. Plain mkdir fails with the real code.
    const above = dirname(path)
    if (errorCode(error) !== 'ENOENT' || above === path) throw error
    await makeFolder(above)
    await mkdir(path)
  }
}
