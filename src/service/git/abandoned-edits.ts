import { statSync } from 'node:fs'
import { join } from 'node:path'
import { undefinedIfMissing } from '../../store/file-system/durable-files.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { forgetEditBases, goneEdits, readEditBases } from '../../store/work-tree/edit-bases.js'
import type { Writer } from '../../store/write/writer.js'
import { startPeriodicTask } from '../remotes/periodic-task.js'

/** Milliseconds between two looks at the index of the work tree. */
const interval = 500

/**
 * Notices that a person has given up an edit that an update had passed by, by checking the file out again: what is
 * edited then is based on the newest version. The next commit leaves no trace of it.
 */
export function watchEdits(options: {
  readonly repository: Repository
  readonly writer: Pick<Writer, 'runWhileLocked'>
  readonly report: (line: string) => void
}): { close(): Promise<void> } {
  const { repository, writer, report } = options
  const { ownDir, gitDir } = repository
  let seen: string | undefined

  async function look(): Promise<void> {
    if (repository.bare || readEditBases(ownDir).size === 0) return
    const found = undefinedIfMissing(() => statSync(join(gitDir, 'index'), { bigint: true }))
    const state = found && `${found.ino} ${found.mtimeNs}`
    if (state === seen) return
    if ((await goneEdits(repository, await repository.head())).length > 0) {
      // Asked again with every commit taken over, and the index locked: a commit of the edit must not pass for its end.
      await writer.runWhileLocked(async head => forgetEditBases(ownDir, await goneEdits(repository, head)))
    }
    seen = state
  }

  let complaint: string | undefined
  return startPeriodicTask(interval, look, detail => {
    if (detail !== complaint) report(`The edits of the work tree could not be looked at: ${detail}`)
    complaint = detail
  })
}
