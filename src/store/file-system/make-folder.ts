import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './file-errors.js'

/**
 * Creates a folder and its missing parents, one after the other. Recursive `mkdir` never ends where the system makes no
 * folders, such as below `/proc`, and fails with ENOENT on a read-only disk.
 * @throws Error with the system's own code
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (await isFolder(path)) return
    const above = dirname(path)
    if (errorCode(error) !== 'ENOENT' || above === path || (await isFolder(above))) throw error
    await makeFolder(above)
    await makeFolder(path)
  }
}

/** {@link makeFolder}, synchronously. */
export function makeFolderSync(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (isFolderSync(path)) return
    const above = dirname(path)
    if (errorCode(error) !== 'ENOENT' || above === path || isFolderSync(above)) throw error
    makeFolderSync(above)
    makeFolderSync(path)
  }
}

function isFolderSync(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** False also if it cannot be looked at: the error of `mkdir` says more. */
async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    found => found.isDirectory(),
    () => false,
  )
}
