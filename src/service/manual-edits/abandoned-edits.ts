import { statSync } from 'node:fs'
import { join } from 'node:path'
import { startPeriodicTask } from '../../core/scheduling/periodic-task.js'
import { undefinedIfMissing } from '../../store/file-system/file-errors.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { forgetEditBases, goneEdits, readEditBases } from '../../store/work-tree/edit-bases.js'
import type { Writer } from '../../store/write/writer-interface.js'

/** Milliseconds between two checks of git's index. */
const interval = 500

/**
 * Forgets on which version an outdated edit is based, when a user discards the edit by checking out the file again. A
 * later edit is based on the newest version. The check is periodic, because the next commit would hide the checkout.
 */
export function watchAbandonedEdits(options: {
  readonly repository: Repository
  readonly writer: Pick<Writer, 'runWhileLocked'>
  readonly report: (line: string) => void
}): { close(): Promise<void> } {
  const { repository, writer, report } = options
  const { ownDir, gitDir } = repository
  let seen: string | undefined

  async function check(): Promise<void> {
    if (repository.bare || readEditBases(ownDir).size === 0) return
    const found = undefinedIfMissing(() => statSync(join(gitDir, 'index'), { bigint: true }))
    const state = found && `${found.ino} ${found.mtimeNs}`
    if (state === seen) return
    if ((await goneEdits(repository, await repository.head())).length > 0) {
      // Checks again with all commits read and the index locked: to commit an edit must not count as discarding it.
      await writer.runWhileLocked(async head => forgetEditBases(ownDir, await goneEdits(repository, head)))
    }
    seen = state
  }

  let reported: string | undefined
  return startPeriodicTask(interval, check, detail => {
    if (detail !== reported) report(`The edits of the work tree could not be read: ${detail}`)
    reported = detail
  })
}
