import { existsSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { errorCode, undefinedIfMissing } from '../file-system/file-errors.js'
import { type GitDirectory, packFolder } from '../git-commands/git-directory.js'
import { ownFolder } from './inspect-folder.js'

/*
 * Files are put in place by rename, and locks are hard links: both work within one file system only. Our own folder may
 * be a separate mount (a fast disk for the catalog), so temporary files need a folder on the file system of their
 * targets.
 */

/** Name of the staging folder in the Git directory, used if our own folder is on another file system. */
const stagingFolder = 'git-metastore-staging'

/**
 * The folder for temporary files that are renamed into the Git directory: our own folder, or a separate one if our own
 * folder is on another file system.
 */
export function stagingIn(gitDir: string, ownDir: string): string {
  return isApart(ownDir, gitDir) ? join(gitDir, stagingFolder) : ownDir
}

/** All folders that may have our temporary files and locks, because a mount may have been added or removed. */
export function stagingFolders({
  gitDir,
  ownDir,
}: Pick<GitDirectory, 'gitDir' | 'ownDir'>): readonly string[] {
  const aside = join(gitDir, stagingFolder)
  return existsSync(aside) ? [ownDir, aside] : [ownDir]
}

/**
 * Whether a file cannot be renamed from one folder to the other. Two mounts of one file system have the same device
 * number, so this tries a rename: the system reports EXDEV before a missing file.
 * @see rename(2), "EXDEV"
 */
function isApart(from: string, to: string): boolean {
  if (statSync(from).dev !== statSync(to).dev) return true
  try {
    renameSync(join(from, 'no-such-file'), join(to, 'no-such-file'))
    return false
  } catch (thrown) {
    return errorCode(thrown) === 'EXDEV'
  }
}

interface RepositoryFolders extends GitDirectory {
  readonly dir: string
  readonly branch: string
  readonly bare: boolean
}

/**
 * Checks that the folders of a repository are on one file system. If they are not, updates cannot be atomic.
 * @returns ProblemError `unusable-repository`; undefined if they are on one file system
 */
export function spreadOf({
  dir,
  gitDir,
  stagingDir,
  branch,
  bare,
}: RepositoryFolders): ProblemError | undefined {
  const folders = [
    packFolder(gitDir),
    dirname(join(gitDir, branch)),
    join(gitDir, 'info'),
    ...(bare ? [] : [dir]),
  ]
  const apart = folders.find(folder => undefinedIfMissing(() => isApart(stagingDir, folder)))
  if (apart === undefined) return undefined
  return new ProblemError(
    'unusable-repository',
    `${apart} and ${stagingDir} are on different file systems or mounts: an update could not take its place in one step. ` +
      `Put ${bare ? 'the whole repository' : 'work tree and .git'} on one file system; only ${join(gitDir, ownFolder)} may be on another.`,
  )
}
