import { join } from 'node:path'

/** The folders of a repository, and the git binary for it. */
export interface GitDirectory {
  readonly gitDir: string
  /** Our own derived files: `<gitDir>/git-metastore`. Exists. */
  readonly ownDir: string
  /** For temporary files that get a place in the Git directory or the work tree by a rename: `ownDir`, or on another file system. */
  readonly stagingDir: string
  /** Path of the git binary, or undefined where there is none (or none is wanted). */
  readonly git: string | undefined
}

export function packDirectory(gitDir: string): string {
  return join(gitDir, 'objects', 'pack')
}
