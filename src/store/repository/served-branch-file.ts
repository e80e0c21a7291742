import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileAtomically } from '../file-system/durable-files.js'
import { hasErrorCode } from '../file-system/file-errors.js'
import type { GitDirectory } from '../git-commands/git-directory.js'
import { readRef } from '../refs/read-refs.js'

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
