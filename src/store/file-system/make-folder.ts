import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './file-errors.js'

/**
 * Creates a folder and its missing parents, one after the other. The recursive `mkdir` of Node.js is not used: it never
 * ends where the system makes no folders, such as below `/proc`, and it fails with ENOENT on a read-only disk.
 * @throws Error with the system's own code
 */
export async function makeFolder(path: string): Promise<void> {
  makeFolderSync(path)
}

/** {@link makeFolder}, synchronously. */
export function makeFolderSync(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (isFolder(path)) return
    const above = dirname(path)
    if (errorCode(error) !== 'ENOENT' || above === path || isFolder(above)) throw error
    makeFolderSync(above)
    makeFolderSync(path)
  }
}

/** Says whether there is a folder at the path. False also after an error, because the caller's own error says more. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
