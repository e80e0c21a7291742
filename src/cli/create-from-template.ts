import { join } from 'node:path'
import { filesBelow, readRegularFile } from '../store/file-system/regular-files.js'
import { createRepository } from '../store/work-tree/create-repository.js'
import { packageFolder } from './installed-package.js'

export interface TemplateOptions {
  /** Without a work tree. */
  readonly bare?: boolean
  /** Without the examples of the template. */
  readonly empty?: boolean
}

/**
 * Makes a repository in a folder that is missing or empty.
 * @throws ProblemError `unusable-repository` for any other folder
 */
export async function createFromTemplate(
  dir: string,
  { bare = false, empty = false }: TemplateOptions = {},
): Promise<void> {
  await createRepository(dir, { bare, ...(empty ? {} : { files: await templateFiles() }) })
}

/** The files of the example repository in `data-template/`: bytes by path. */
export async function templateFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const root = join(packageFolder(), 'data-template')
  const files = new Map<string, Uint8Array>()
  for (const path of await filesBelow(root, '')) files.set(path, await readRegularFile(root, path))
  return files
}
