import { mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { terminationSignals } from '../../core/child-processes.js'
import { ProblemError } from '../../core/problem.js'
import { errorCode, systemReason } from './file-errors.js'

const paths = new Set<string>()

/** Removes a file or folder if a signal ends the process. @returns a function that cancels this */
export function removeOnSignal(path: string): () => void {
  // This listener runs before that of a server, which removes itself at the first signal and would not be counted then.
  if (paths.size === 0) for (const signal of terminationSignals) process.prependListener(signal, endBySignal)
  paths.add(path)
  return () => {
    paths.delete(path)
    if (paths.size === 0) for (const signal of terminationSignals) process.off(signal, endBySignal)
  }
}

/** Removes the files and ends the process, unless another listener does that in order, such as that of a server. */
function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  try {
    // Child processes may still write there, so `rmSync` tries again.
    for (const path of paths) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } finally {
    process.off(signal, endBySignal)
    process.kill(process.pid, signal)
  }
}

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
