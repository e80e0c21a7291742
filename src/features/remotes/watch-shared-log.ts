import type { Catalog } from '../../catalog/catalog.js'
import { ProblemError } from '../../core/problem.js'
import { startPeriodicTask } from '../../core/scheduling/periodic-task.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Writer } from '../../store/write/writer-interface.js'
import type { ConnectionStatusFile } from './connection-status.js'
import type { RemoteBranch } from './remote-branch.js'
import type { SharedLog } from './shared-log.js'

export interface SharingOptions {
  readonly repository: Pick<Repository, 'head'>
  readonly catalog: Pick<Catalog, 'head'>
  readonly remote: RemoteBranch
  readonly log: SharedLog
  readonly writer: Pick<Writer, 'synchronize'>
  readonly status: ConnectionStatusFile
  /** Milliseconds between two fetches. */
  readonly interval: number
}

/** Fetches the shared log at an interval, because other servers add commits to it. */
export function watchSharedLog(options: SharingOptions): { close(): Promise<void> } {
  const { repository, catalog, remote, log, writer, status, interval } = options
  return startPeriodicTask(
    interval,
    async signal => {
      const begun = Date.now()
      // Fetches outside the writer's queue, so that the writer waits only for new commits.
      const tip = await remote.fetch(signal)
      if (tip === undefined || tip !== catalog.head()) await writer.synchronize()
      const head = catalog.head()
      if (head === undefined)
        throw new ProblemError('unavailable', `${remote.address} has no commit that is served here.`)
      // `git gc` in the log may have deleted objects of a push that arrived before the branch moved to them.
      if (!(await remote.objects.has(head))) await remote.objects.restore(head)
      await log.retryRefused(await repository.head())
      log.assertAccepts()
      status.noteSuccess(head, begun)
    },
    status.noteFailure,
  )
}
