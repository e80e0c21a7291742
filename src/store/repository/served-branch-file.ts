import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, replaceFileAtomically } from '../file-system/durable-files.js'
import { readRef } from '../refs/compare-and-swap.js'

/*
 * The branch that is served, kept in our own folder: HEAD may be elsewhere for a while, and what reads or writes records then
 * goes on with the branch that the catalog is of.
 */

/** Name of the file in our own folder. */
export const servedRefFile = 'served-branch'

interface Folders {
  readonly gitDir: string
  /** Our own folder in it. */
  readonly ownDir: string
}

/** The branch that was served last; undefined where none is kept, or there is no such branch any more. */
export function servedRef({ gitDir, ownDir }: Folders): string | undefined {
  const [, ref] = /^(refs\/heads\/\S+)\n$/.exec(textIn(join(ownDir, servedRefFile))) ?? []
  return ref !== undefined && !ref.includes('..') && isThere(gitDir, ref) ? ref : undefined
}

function isThere(gitDir: string, ref: string): boolean {
  try {
    return readRef(gitDir, ref) !== undefined
  } catch (error) {
    // A damaged one is told of where its commit is read.
    if (error instanceof RangeError) return true
    throw error
  }
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    // What is wrong with our own folder is told where it is opened.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) return ''
    throw error
  }
}

export function keepServedRef(folders: Folders, branch: string): void {
  if (servedRef(folders) !== branch) replaceFileAtomically(join(folders.ownDir, servedRefFile), `${branch}\n`)
}
