import { constants, readFileSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { History } from '../commit-history/first-parent-history.js'
import { openGitLogHistory } from '../commit-history/git-log.js'
import { openObjectWalkHistory } from '../commit-history/object-walk.js'
import { replaceFileAtomically } from '../file-system/durable-files.js'
import { errorCode, hasErrorCode } from '../file-system/file-errors.js'
import { makeFolder } from '../file-system/make-folder.js'
import { findGitBinary } from '../git-commands/git-binary.js'
import type { GitDirectory } from '../git-commands/git-directory.js'
import { restoreAdvice } from '../git-commands/git-failure.js'
import { openCatFileReader } from '../object-readers/cat-file-reader.js'
import { openIsomorphicGitReader } from '../object-readers/isomorphic-git-reader.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { existedBefore, readRef } from '../refs/read-refs.js'
import { inspectFolder, ownFolder, unusableRepository } from '../repository-folder/inspect-folder.js'
import { stagingIn } from '../repository-folder/staging-folder.js'
import { unfinishedPurge } from '../repository-folder/unfinished-purge.js'
import { readMetastoreFile } from './metastore-json.js'

/** An open repository of our layout. */
export interface Repository extends GitDirectory {
  /** Absolute path of the data folder: the work tree, or the Git directory of a bare repository. */
  readonly dir: string
  readonly bare: boolean
  /** Full name of the served branch (`refs/heads/main`): the last served branch, else that which HEAD points at. */
  readonly branch: string
  readonly objects: ObjectReader
  readonly history: History
  /** The current commit of the served branch. @throws ProblemError `unusable-repository` if it has none, `damaged` */
  head(): Promise<Oid>
  close(): Promise<void>
}

export interface OpenOptions {
  /** `auto`: the git on the PATH, if any; `none`: isomorphic-git only; else the path of a binary. */
  readonly git?: string
  /** Whether to open a repository with an interrupted purge, to finish it. By default, such a repository is refused. */
  readonly purging?: boolean
}

export { ownFolder }

/**
 * Opens and checks a repository of our layout. Creates our own folder if it is missing, and changes nothing else.
 * @throws ProblemError `unusable-repository` with the fault, its place and what to do
 */
export async function openRepository(path: string, options: OpenOptions = {}): Promise<Repository> {
  const dir = resolve(path)
  const { gitDir, bare, hasAlternates, ...folder } = await inspectFolder(dir)
  const ownDir = join(gitDir, ownFolder)
  const branch = folder.branch(servedRef({ gitDir, ownDir }))
  const git = await findGitBinary(options.git ?? 'auto')
  if (hasAlternates && git === undefined) {
    throw unusableRepository(
      `${dir} borrows objects from another repository, which needs a git binary. Install git, or make the ` +
        `repository whole with \`git -C ${dir} repack -a -d\` and remove objects/info/alternates.`,
    )
  }

  async function head(): Promise<Oid> {
    let oid: Oid | undefined
    try {
      oid = readRef(gitDir, branch)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw damagedBranch('its file names no commit', error)
    }
    if (oid !== undefined) return oid
    if (existedBefore(gitDir, ownDir, branch)) throw damagedBranch('it is missing')
    throw unusableRepository(
      `The branch ${branch} of ${dir} has no commit yet. Make a repository with \`git-metastore init <folder>\`, ` +
        'or check out the branch that holds the data.',
    )
  }

  function damagedBranch(what: string, cause?: unknown): ProblemError {
    return new ProblemError(
      'damaged',
      `The branch ${branch} of ${dir} is damaged: ${what}. ${restoreAdvice}`,
      {},
      { cause },
    )
  }

  const unfinished = options.purging ? undefined : unfinishedPurge(ownDir)
  if (unfinished !== undefined) {
    throw unusableRepository(
      `A purge of "${unfinished}" from ${dir} was interrupted. Finish it: git-metastore purge ${unfinished} --yes --data ${dir}`,
    )
  }
  const objects = git === undefined ? openIsomorphicGitReader(gitDir) : openCatFileReader(git, gitDir)
  const history = git === undefined ? openObjectWalkHistory(objects) : openGitLogHistory(git, gitDir, objects)
  let stagingDir: string
  try {
    await readMetastoreFile(dir, await head(), objects, history)
    await makeOwnDir(ownDir)
    stagingDir = stagingIn(gitDir, ownDir)
    if (stagingDir !== ownDir) await makeOwnDir(stagingDir)
  } catch (error) {
    await objects.close()
    throw error
  }
  return {
    ...{ dir, gitDir, ownDir, stagingDir, bare, branch, git, objects, history, head },
    close: () => objects.close(),
  }
}

async function makeOwnDir(path: string): Promise<void> {
  try {
    await makeFolder(path)
    // An existing folder may be on a disk that is now read-only.
    await access(path, constants.W_OK)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
      const reason = code === 'EROFS' ? 'the disk is read-only' : 'permission denied'
      throw unusableRepository(
        `${path} cannot be written: ${reason}. Make it writable for the user who starts this.`,
        error,
      )
    }
    if (code === 'ENOSPC')
      throw unusableRepository(`${path} cannot be made: the disk is full. Make room.`, error)
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw unusableRepository(`${path} is not a folder. Move it away.`, error)
    throw error
  }
}

/*
 * Stores the name of the served branch in our own folder. If HEAD moves to another branch, servers and commands
 * continue with the served branch, to which the catalog belongs.
 */

/** File name in our own folder. */
export const servedRefFile = 'served-branch'

type Folders = Pick<GitDirectory, 'gitDir' | 'ownDir'>

/** The last served branch; undefined if none is stored or it no longer exists. */
export function servedRef({ gitDir, ownDir }: Folders): string | undefined {
  const [, ref] = /^(refs\/heads\/\S+)\n$/.exec(textIn(join(ownDir, servedRefFile))) ?? []
  return ref !== undefined && !ref.includes('..') && isThere(gitDir, ref) ? ref : undefined
}

function isThere(gitDir: string, ref: string): boolean {
  try {
    return readRef(gitDir, ref) !== undefined
  } catch (error) {
    // A damaged branch is reported when its commit is read.
    if (error instanceof RangeError) return true
    throw error
  }
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    // Faults of our own folder are reported when the repository is opened.
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return ''
    throw error
  }
}

export function keepServedRef(folders: Folders, branch: string): void {
  if (servedRef(folders) !== branch) replaceFileAtomically(join(folders.ownDir, servedRefFile), `${branch}\n`)
}
