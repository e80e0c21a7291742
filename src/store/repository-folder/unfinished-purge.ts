import { readFileSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Id, parseId } from '../../core/value-types.js'
import { replaceFileDurably, syncFolder } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'

/*
 * Marks a repository with an unfinished purge. Other programs refuse the repository until the purge is finished.
 */

/** Name of the mark, a file in our own folder. */
export const unfinishedFile = 'purge'

/** The id of the record whose purge is unfinished, if any. @param ownDir our own folder in the Git directory */
export function unfinishedPurge(ownDir: string): Id | undefined {
  // If a file is in the place of the folder, that is reported when the repository is opened.
  if (!statSync(ownDir, { throwIfNoEntry: false })?.isDirectory()) return undefined
  const text = undefinedIfMissing(() => readFileSync(join(ownDir, unfinishedFile), 'utf8'))
  return text === undefined ? undefined : parseId(text.trim(), `The id in ${join(ownDir, unfinishedFile)}`)
}

export function beginPurge(ownDir: string, id: Id): void {
  if (unfinishedPurge(ownDir) === id) return
  replaceFileDurably(join(ownDir, unfinishedFile), `${id}\n`)
}

export function endPurge(ownDir: string): void {
  unlinkSync(join(ownDir, unfinishedFile))
  syncFolder(ownDir)
}
