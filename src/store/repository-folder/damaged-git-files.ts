import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { packedRefsFault, packedRefsFile } from '../refs/read-refs.js'
import { configFile, parseConfig } from './git-config.js'

/** The files whose damage stops every git command, and what to do about it. */
const files = [
  {
    name: packedRefsFile,
    faultOf: packedRefsFault,
    advice: 'Stop the server and restore the file: git-metastore repair --from <copy>.',
  },
  { name: configFile, faultOf: (text: string) => parseConfig(text).fault, advice: 'Correct that line.' },
] as const

/**
 * Checks the files that git reads in every command. A server itself seldom reads these files, so without this check it
 * would seem healthy while clones and pushes fail. Reads a file only after a change.
 * @returns a function that throws ProblemError `damaged` with the file, its fault and what to do, without full paths
 */
export function openGitFileCheck(gitDir: string): () => Promise<void> {
  const known = new Map<string, { readonly state: string; readonly fault: string | undefined }>()
  return async () => {
    for (const { name, faultOf, advice } of files) {
      const path = join(gitDir, name)
      const state = await stateOf(path)
      if (known.get(name)?.state !== state) {
        const text = (await undefinedIfMissingAsync(readFile(path, 'utf8'))) ?? ''
        known.set(name, { state, fault: faultOf(text) })
      }
      const fault = known.get(name)?.fault
      if (fault === undefined) continue
      const message = `${name} in the Git directory is damaged: ${fault}. Clones and pushes fail. ${advice}`
      throw new ProblemError('damaged', message)
    }
  }
}

/** A text that differs after the file was created, deleted, replaced or written. */
async function stateOf(path: string): Promise<string> {
  const found = await undefinedIfMissingAsync(stat(path, { bigint: true }))
  return found ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ') : ''
}
