import { readFileSync, renameSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Id } from '../../core/value-types.js'
import { parseId } from '../../core/value-types.js'
import { syncDirectory, undefinedIfMissing, writeFileDurably } from '../file-system/durable-files.js'

/*
 * Says of a repository that a purge has begun to change it, and has not ended. Nothing else may be done with it until
 * the purge has been run to its end.
 */

/** Name of the file in our own folder. */
export const unfinishedFile = 'purge'

/** The record that is being purged. @param ownDir our own folder in the Git directory */
export function unfinishedPurge(ownDir: string): Id | undefined {
  // A file in the place of the folder is refused by whoever opens the repository.
  if (!statSync(ownDir, { throwIfNoEntry: false })?.isDirectory()) return undefined
  const text = undefinedIfMissing(() => readFileSync(join(ownDir, unfinishedFile), 'utf8'))
  return text === undefined ? undefined : parseId(text.trim(), `The id in ${join(ownDir, unfinishedFile)}`)
}

export function beginPurge(ownDir: string, id: Id): void {
  if (unfinishedPurge(ownDir) === id) return
  // All of it or nothing: half a note would keep everybody out.
  const file = join(ownDir, unfinishedFile)
  rmSync(`${file}.new`, { force: true })
  writeFileDurably(`${file}.new`, [Buffer.from(`${id}\n`)])
  renameSync(`${file}.new`, file)
  syncDirectory(ownDir)
}

export function endPurge(ownDir: string): void {
  unlinkSync(join(ownDir, unfinishedFile))
  syncDirectory(ownDir)
}
