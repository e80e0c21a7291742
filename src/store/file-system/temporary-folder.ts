import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { errorCode, systemReason } from './file-errors.js'
import { removeOnSignal } from './remove-on-signal.js'

export interface TemporaryFolder {
  readonly path: string
  remove(): Promise<void>
}

/**
 * Makes a folder below TMPDIR. It is removed also if a signal ends the process.
 * @param purpose a part of the folder's name
 * @throws ProblemError `unavailable` if TMPDIR is no folder that can be written to
 */
export function makeTemporaryFolder(purpose: string): TemporaryFolder {
  const path = newFolder(join(tmpdir(), `git-metastore-${purpose}-`))
  const forget = removeOnSignal(path)
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true })
      forget()
    },
  }
}

const unusable: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS'])

function newFolder(prefix: string): string {
  try {
    return mkdtempSync(prefix)
  } catch (error) {
    if (!unusable.has(errorCode(error))) throw error
    const message =
      `No temporary folder can be made in ${tmpdir()}: ${systemReason(error)}. ` +
      'Set TMPDIR to a folder that you may write to.'
    throw new ProblemError('unavailable', message, {}, { cause: error })
  }
}
