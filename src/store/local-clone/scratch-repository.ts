import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { readBlobSizes } from '../blobs/blob-sizes.js'
import type { History } from '../commit-history/first-parent-history.js'
import { openGitLogHistory } from '../commit-history/git-log.js'
import { makeTemporaryFolder } from '../file-system/temporary-folder.js'
import { openCatFileReader } from '../object-readers/cat-file-reader.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { createGitDirectory } from '../work-tree/create-repository.js'
import { type Clone, type EnvironmentVariables, linesOrThrow } from './open-clone.js'

/**
 * An empty repository in a temporary folder with the clone as alternate object store. New objects, such as a dry-run
 * commit, are written here, because the clone may be read-only.
 */
export interface ScratchRepository {
  readonly folder: string
  readonly objects: ObjectReader
  readonly history: History
  /** Sizes of blobs in bytes, without reading them. */
  sizes(blobs: readonly Oid[]): Promise<ReadonlyMap<Oid, number>>
  /** Environment for git commands in the clone that write their objects into the temporary folder. */
  readonly variables: EnvironmentVariables
  /** Creates a commit in the temporary folder. */
  commit(tree: Oid, parents: readonly Oid[]): Promise<Oid>
  /** Removes the folder. */
  close(): Promise<void>
}

/** Author of temporary commits, which is never shown. */
const maker = { name: 'git-metastore', email: 'git-metastore@localhost' }

export async function openScratchRepository(clone: Clone): Promise<ScratchRepository> {
  const temporary = makeTemporaryFolder('check')
  const folder = temporary.path
  const objectFolder = join(folder, 'objects')
  try {
    await createGitDirectory(folder, true)
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
    await writeFile(join(objectFolder, 'info', 'alternates'), `${clone.objectFolders.join('\n')}\n`)
  } catch (error) {
    await temporary.remove()
    throw error
  }
  const objects = openCatFileReader(clone.binary, folder)
  const variables = {
    GIT_OBJECT_DIRECTORY: objectFolder,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: clone.objectFolders.join(delimiter),
    GIT_AUTHOR_NAME: maker.name,
    GIT_AUTHOR_EMAIL: maker.email,
    GIT_COMMITTER_NAME: maker.name,
    GIT_COMMITTER_EMAIL: maker.email,
  }
  return {
    folder,
    objects,
    history: openGitLogHistory(clone.binary, folder, objects),
    sizes: blobs => readBlobSizes(clone.binary, folder, blobs),
    variables,
    async commit(tree, parents) {
      const args = parents.flatMap(parent => ['-p', parent])
      const made = await clone.git(['commit-tree', tree, ...args, '-m', 'To be checked'], variables)
      return linesOrThrow(made, 'git commit-tree')[0] as Oid
    },
    async close() {
      await objects.close()
      await temporary.remove()
    },
  }
}
