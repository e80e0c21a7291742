import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errnoOf, replaceFile } from './durable.js'
import { readBranch } from './refs.js'
import { ownFolder } from './repository.js'

/*
 * The branch that is served, kept in our own folder: HEAD may be elsewhere for a while, and what reads or writes records then
 * goes on with the branch that the catalog is of.
 */

/** Name of the file in our own folder. */
export const servedRefFile = 'served-branch'

/** The branch that was served last; undefined where none is kept, or there is no such branch any more. */
export function servedRef(gitDir: string): string | undefined {
  const [, ref] = /^(refs\/heads\/\S+)\n$/.exec(textIn(join(gitDir, ownFolder, servedRefFile))) ?? []
  return ref !== undefined && !ref.includes('..') && readBranch(gitDir, ref) !== undefined ? ref : undefined
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    // What is wrong with our own folder is told where it is opened.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return ''
    throw error
  }
}

export function keepServedRef(gitDir: string, branch: string): void {
  if (servedRef(gitDir) !== branch) replaceFile(join(gitDir, ownFolder, servedRefFile), `${branch}\n`)
}
