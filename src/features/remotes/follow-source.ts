import { ProblemError } from '../../core/problem.js'
import { startPeriodicTask } from '../../core/scheduling/periodic-task.js'
import type { Oid } from '../../core/value-types.js'
import { fastForwardBranch } from '../../store/refs/move-branch.js'
import { readMetastoreFile } from '../../store/repository/metastore-json.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Writer } from '../../store/write/writer-interface.js'
import type { ConnectionStatusFile } from './connection-status.js'
import type { RemoteBranch } from './remote-branch.js'

export interface FollowingOptions {
  readonly repository: Repository
  readonly source: RemoteBranch
  readonly writer: Pick<Writer, 'runWhileLocked'>
  readonly status: ConnectionStatusFile
  /** Milliseconds between two fetches. */
  readonly interval: number
}

/**
 * Fetches the served branch from another repository at an interval and moves the branch here to it. After a failure,
 * the server keeps serving the old commits, and the next interval tries again.
 */
export function followSource(options: FollowingOptions): { close(): Promise<void> } {
  const { repository, source, writer, status, interval } = options
  const { branch, history, objects } = repository
  const { address } = source

  async function step(signal: AbortSignal): Promise<void> {
    const begun = Date.now()
    const tip = await source.fetch(signal)
    if (tip === undefined) throw new ProblemError('unavailable', `${address} has no ${branch}.`)
    // Locks the writer only if there is something new.
    if (tip !== (await repository.head())) await writer.runWhileLocked(head => follow(head, tip))
    status.noteSuccess(tip, begun)
  }

  async function follow(head: Oid, tip: Oid): Promise<void> {
    const relation = await history.relation(head, tip)
    if (relation === 'same') return
    if (relation !== 'ahead') throw await divergence(head, tip)
    await readMetastoreFile(address, tip, objects, history)
    const moved = await fastForwardBranch(repository, head, tip, `git-metastore: follow ${address}`)
    if (moved === 'moved') return
    throw new ProblemError(
      'unavailable',
      `Another git command holds the lock of ${branch}; ${tip} is followed when it has ended.`,
    )
  }

  async function divergence(head: Oid, tip: Oid): Promise<ProblemError> {
    const back = await history.relation(tip, head)
    const what =
      back === 'rewritten'
        ? `The history of ${address} was rewritten: it is at ${tip}, and ${head} is not on its first-parent chain.`
        : `${address} is at ${tip} and lacks later commits that are here: they were removed there, or added here.`
    const then = `${head} is still served. Correct ${branch} there, or start again with an empty data folder.`
    return new ProblemError('unavailable', `${what} ${then}`)
  }

  return startPeriodicTask(interval, step, status.noteFailure)
}
