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

/** Ending, after a dot, of files with which a person has paused work of a server. A purge keeps them. */
export const pausedEnding = 'paused'
