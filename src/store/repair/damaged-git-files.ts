import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { packedRefsFault, packedRefsFile } from '../refs/packed-refs.js'
import { configFault, configFile } from '../repository/git-config.js'

/** The files that stop every git command if they are damaged, and what to do. */
const files = [
  {
    name: packedRefsFile,
    faultOf: packedRefsFault,
    advice: 'Stop the server and restore the file: git-metastore repair --from <copy>.',
  },
  { name: configFile, faultOf: configFault, advice: 'Correct that line.' },
] as const

/**
 * The check of the files that git reads in every command. The own readers of a server need them rarely, so that it works
 * while clones and pushes fail. Reads a file only after a change.
 * @returns a function that throws ProblemError `damaged` with the file, its fault and what to do; without absolute paths
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
