import type { Catalog } from '../../catalog/catalog.js'
import { ProblemError } from '../../core/problem.js'
import type { RemoteBranch } from '../../store/remotes/remote-branch.js'
import type { Writer } from '../../store/write/writer-interface.js'
import type { ConnectionStatusFile } from './connection-status.js'
import { startPeriodicTask } from './periodic-task.js'

export interface SharingOptions {
  readonly catalog: Pick<Catalog, 'head'>
  readonly log: RemoteBranch
  readonly writer: Pick<Writer, 'syncSharedLog' | 'assertLogAccepts'>
  readonly status: ConnectionStatusFile
  /** Milliseconds between two fetches. */
  readonly interval: number
}

/** Fetches the shared log at an interval, because other servers add commits to it. */
export function watchSharedLog({ catalog, log, writer, status, interval }: SharingOptions): {
  close(): Promise<void>
} {
  return startPeriodicTask(
    interval,
    async signal => {
      const begun = Date.now()
      // Fetches outside the writer's queue, so that the writer waits only for new commits.
      const tip = await log.fetch(signal)
      if (tip === undefined || tip !== catalog.head()) await writer.syncSharedLog()
      const head = catalog.head()
      if (head === undefined)
        throw new ProblemError('unavailable', `${log.address} has no commit that is served here.`)
      // `git gc` in the log may have deleted objects of a push that arrived before the branch moved to them.
      if (!(await log.objects.has(head))) await log.objects.restore(head)
      await writer.assertLogAccepts()
      status.noteSuccess(head, begun)
    },
    status.noteFailure,
  )
}
