import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { fastForwardBranch } from '../../store/refs/fast-forward.js'
import type { RemoteBranch } from '../../store/remotes/remote-branch.js'
import { readMetastoreFile } from '../../store/repository/metastore-json.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Writer } from '../../store/write/writer.js'
import type { ConnectionStatusFile } from './connection-status.js'
import { startPeriodicTask } from './periodic-task.js'

export interface FollowingOptions {
  readonly repository: Repository
  readonly source: RemoteBranch
  readonly writer: Pick<Writer, 'runWhileLocked'>
  readonly book: ConnectionStatusFile
  /** Milliseconds between two fetches. */
  readonly interval: number
}

/**
 * Fetches the served branch from another repository again and again, and has the branch here follow it. Where it
 * cannot, what was served is served on, and it is tried again.
 */
export function followSource(options: FollowingOptions): { close(): Promise<void> } {
  const { repository, source, writer, book, interval } = options
  const { branch, history, objects } = repository
  const { address } = source

  async function step(signal: AbortSignal): Promise<void> {
    const tip = await source.fetch(signal)
    if (tip === undefined) throw new ProblemError('unavailable', `${address} has no ${branch}.`)
    // Nobody's turn is taken for nothing.
    if (tip !== (await repository.head())) await writer.runWhileLocked(head => follow(head, tip))
    book.reached(tip)
  }

  async function follow(head: Oid, tip: Oid): Promise<void> {
    const relation = await history.relation(head, tip)
    if (relation === 'same') return
    if (relation !== 'ahead') throw await parted(head, tip)
    await readMetastoreFile(address, tip, objects, history)
    const moved = await fastForwardBranch(repository, head, tip, `git-metastore: follow ${address}`)
    if (moved === 'moved') return
    throw new ProblemError('unavailable', `Another git command is at work on ${branch}; ${tip} waits for it.`)
  }

  async function parted(head: Oid, tip: Oid): Promise<ProblemError> {
    const back = await history.relation(tip, head)
    const what =
      back === 'rewritten'
        ? `The history of ${address} was rewritten: it is at ${tip}, and ${head} is not on its chain of first parents.`
        : `${address} is at ${tip} and lacks what comes after it here: it was taken back there, or added here.`
    const then = `${head} is served on. Put ${branch} right there, or start anew with an empty data folder.`
    return new ProblemError('unavailable', `${what} ${then}`)
  }

  return startPeriodicTask(interval, step, book.failed)
}
