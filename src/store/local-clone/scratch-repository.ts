import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import type { History } from '../commit-history/first-parent-history.js'
import { openHistory } from '../commit-history/open-history.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { openObjectReader } from '../objects/open-objects.js'
import { type Clone, type EnvironmentVariables, linesOrThrow } from './open-clone.js'

/**
 * An empty repository in a temporary folder that borrows all objects of a clone. What is made on top, such as the
 * commit that the edits of a work tree would be, is written here: the clone may be read-only.
 */
export interface ScratchRepository {
  readonly folder: string
  readonly objects: ObjectReader
  readonly history: History
  /** For git commands in the clone: what they write goes into the temporary folder. */
  readonly variables: EnvironmentVariables
  /** A commit that is nowhere but here. */
  commit(tree: Oid, parents: readonly Oid[]): Promise<Oid>
  /** Ends and removes it. */
  close(): Promise<void>
}

/** Nobody's: what such a commit says of its maker is never seen. */
const maker = { name: 'git-metastore', email: 'git-metastore@localhost' }

export async function openScratchRepository(clone: Clone): Promise<ScratchRepository> {
  const folder = await mkdtemp(join(tmpdir(), 'git-metastore-check-'))
  const objectFolder = join(folder, 'objects')
  await mkdir(join(objectFolder, 'info'), { recursive: true })
  await mkdir(join(objectFolder, 'pack'))
  await mkdir(join(folder, 'refs'))
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
  await writeFile(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n')
  await writeFile(join(objectFolder, 'info', 'alternates'), `${clone.objectFolders.join('\n')}\n`)
  const objects = openObjectReader(clone.binary, folder)
  const variables = {
    GIT_OBJECT_DIRECTORY: objectFolder,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: clone.objectFolders.join(process.platform === 'win32' ? ';' : ':'),
    GIT_AUTHOR_NAME: maker.name,
    GIT_AUTHOR_EMAIL: maker.email,
    GIT_COMMITTER_NAME: maker.name,
    GIT_COMMITTER_EMAIL: maker.email,
  }
  return {
    folder,
    objects,
    history: openHistory(clone.binary, folder, objects),
    variables,
    async commit(tree, parents) {
      const args = parents.flatMap(parent => ['-p', parent])
      const made = await clone.git(['commit-tree', tree, ...args, '-m', 'To be checked'], variables)
      return linesOrThrow(made, 'git commit-tree')[0] as Oid
    },
    async close() {
      await objects.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
