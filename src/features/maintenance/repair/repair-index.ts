import { join } from 'node:path'
import { ProblemError } from '../../../core/problem.js'
import { openRepository } from '../../../store/repository/open-repository.js'
import { indexFault } from '../../../store/work-tree/index-file.js'
import { runExclusively } from '../../../store/write/writer-and-index-locks.js'
import type { IndexRepair } from './repair-report.js'

/** Limit in milliseconds of each wait for a lock that another git-metastore process or a user's git command holds. */
const maxLockWait = 5000

/**
 * Rebuilds the index of the work tree, by opening the repository as a writer does.
 * @param sound whether all objects exist, without which the index cannot be rebuilt
 * @returns undefined if the index is intact, or if there is none
 */
export async function repairIndex(place: {
  readonly dir: string
  readonly gitDir: string
  readonly binary: string
  readonly sound: boolean
}): Promise<IndexRepair | undefined> {
  const { dir, gitDir, binary, sound } = place
  const index = join(gitDir, 'index')
  const was = await indexFault(index)
  if (was === undefined) return undefined
  if (!sound) return { was, rebuilt: false, detail: 'It can be rebuilt once no object is missing.' }
  const lines: string[] = []
  try {
    const repository = await openRepository(dir, { git: binary })
    try {
      const report = (line: string) => lines.push(line)
      await runExclusively(repository, { patience: maxLockWait, report }, async () => undefined)
    } finally {
      await repository.close()
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    lines.push(error.message)
  }
  const rebuilt = (await indexFault(index)) === undefined
  return { was, rebuilt, detail: lines.join(' ') }
}
