import { existsSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { errorCode, undefinedIfMissing } from '../file-system/durable-files.js'
import type { GitDirectory } from '../process/git-directory.js'
import { ownFolderName } from './inspect-folder.js'

/*
 * A file takes its place by a rename, and a lock is a second name of a file: both work within one file system only. Our own
 * folder may be a mount of its own (a fast disk for the catalog), so temporary files lie where their targets are.
 */

/** Name of the folder for temporary files, in the Git directory, where our own folder is on another file system. */
const stagingFolder = 'git-metastore-staging'

/**
 * The folder for temporary files that are renamed to a place in the Git directory: our own folder, or one beside it where
 * that is on another file system.
 */
export function stagingIn(gitDir: string, ownDir: string): string {
  return isApart(ownDir, gitDir) ? join(gitDir, stagingFolder) : ownDir
}

/** Every folder that temporary files and locks of ours may be in: a mount may have come or gone since. */
export function stagingFolders({
  gitDir,
  ownDir,
}: Pick<GitDirectory, 'gitDir' | 'ownDir'>): readonly string[] {
  const aside = join(gitDir, stagingFolder)
  return existsSync(aside) ? [ownDir, aside] : [ownDir]
}

/**
 * Whether a file cannot be renamed from one folder to the other. The system says that before it looks for the file, and says it
 * of two mounts of one file system too, which have one device number.
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
 * What is wrong with a repository whose folders are on several file systems: no update could take its place in one step.
 * @returns ProblemError `unusable-repository`; undefined where they are on one
 */
export function spreadOf({
  dir,
  gitDir,
  stagingDir,
  branch,
  bare,
}: RepositoryFolders): ProblemError | undefined {
  const folders = [
    join(gitDir, 'objects', 'pack'),
    dirname(join(gitDir, branch)),
    join(gitDir, 'info'),
    ...(bare ? [] : [dir]),
  ]
  const apart = folders.find(folder => undefinedIfMissing(() => isApart(stagingDir, folder)))
  if (apart === undefined) return undefined
  return new ProblemError(
    'unusable-repository',
    `${apart} and ${stagingDir} are on different file systems or mounts: an update could not take its place in one step. ` +
      `Put ${bare ? 'the whole repository' : 'work tree and .git'} on one file system; only ${join(gitDir, ownFolderName)} may be on another.`,
  )
}
