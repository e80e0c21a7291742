import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './durable-files.js'

/**
 * Makes a folder and those around it where they are not there.
 * @throws Error with the system's own code
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
  } catch (error) {
    // Of a read-only disk a recursive mkdir says that something is missing; a plain one says what it is.
    const above = dirname(path)
    if (errorCode(error) !== 'ENOENT' || above === path) throw error
    await makeFolder(above)
    await mkdir(path)
  }
}
