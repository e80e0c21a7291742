import { join } from 'node:path'

/** The folders of a repository and its git binary. */
export interface GitDirectory {
  readonly gitDir: string
  /** Folder of our own derived files: `<gitDir>/git-metastore`. It exists. */
  readonly ownDir: string
  /** Folder of temporary files that are later renamed, on the file system of their targets. */
  readonly stagingDir: string
  /** Path of the git binary; undefined: the program works without git. */
  readonly git: string | undefined
}

export function packFolder(gitDir: string): string {
  return join(gitDir, 'objects', 'pack')
}

/*
 * The folder of the files through which commands and servers tell each other about connectors, see `search/connectors`.
 * A purge removes these files, but not the files that say which connectors are paused.
 */

/** Name of that folder in our own folder. */
export const connectorFolder = 'connectors'
/** Ending, after a dot, of the file that exists while a connector is paused. */
export const pausedEnding = 'paused'
