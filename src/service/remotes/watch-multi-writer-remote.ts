import type { Catalog } from '../../catalog/catalog.js'
import { ProblemError } from '../../core/problem.js'
import type { RemoteBranch } from '../../store/remotes/remote-branch.js'
import type { Writer } from '../../store/write/writer.js'
import type { ConnectionStatusFile } from './connection-status.js'
import { startPeriodicTask } from './periodic-task.js'

export interface SharingOptions {
  readonly catalog: Pick<Catalog, 'head'>
  readonly log: RemoteBranch
  readonly writer: Pick<Writer, 'syncSharedLog'>
  readonly book: ConnectionStatusFile
  /** Milliseconds between two fetches. */
  readonly interval: number
}

/** Looks again and again for what other servers have added to the log that is shared with them. */
export function watchSharedLog({ catalog, log, writer, book, interval }: SharingOptions): {
  close(): Promise<void>
} {
  return startPeriodicTask(
    interval,
    async signal => {
      // Beside the writer: only where there is something new it has to wait for that.
      const tip = await log.fetch(signal)
      if (tip === undefined || tip !== catalog.head()) await writer.syncSharedLog()
      const head = catalog.head()
      if (head === undefined)
        throw new ProblemError('unavailable', `${log.address} has nothing that is served here.`)
      // What a `git gc` there has removed before its branch led to it is still here.
      if (!(await log.objects.has(head))) await log.objects.restore(head)
      book.reached(head)
    },
    book.failed,
  )
}
