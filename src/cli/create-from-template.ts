import { readdir } from 'node:fs/promises'
import { createRepository } from '../store/repository/create-repository.js'
import { templateFiles } from './installed-package.js'

export interface SetOutOptions {
  /** Without a work tree. */
  readonly bare?: boolean
  /** Without the examples of the template. */
  readonly empty?: boolean
}

/**
 * Makes a repository of ours out of a folder that is missing or empty.
 * @throws ProblemError `unusable-repository` for any other folder
 */
export async function createFromTemplate(
  dir: string,
  { bare = false, empty = false }: SetOutOptions = {},
): Promise<void> {
  await createRepository(dir, { bare, ...(empty ? {} : { files: await templateFiles() }) })
}

/** Says whether there is nothing in the way: the folder is missing or empty. */
export async function isMissingOrEmpty(dir: string): Promise<boolean> {
  try {
    return (await readdir(dir)).length === 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw error
  }
}
