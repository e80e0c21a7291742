import type { Repository } from '../repository/open-repository.js'
import { Checkout } from '../work-tree/checkout.js'
import { openWriteLocks } from './writer-and-index-locks.js'

export interface ExclusiveRunOptions {
  /** Milliseconds to wait for other processes of ours. */
  readonly patience: number
  readonly report: (line: string) => void
}

/**
 * Runs git commands that write while no process of ours does: a server waits, and its index is at the branch, so a
 * commit undoes nothing. What a killed server has left is cleared up first.
 * @throws ProblemError `unavailable` where another process keeps the lock
 */
export async function runExclusively<T>(
  repository: Repository,
  { patience, report }: ExclusiveRunOptions,
  job: () => Promise<T>,
): Promise<T> {
  const checkout = repository.bare ? undefined : new Checkout(repository, report)
  const locks = openWriteLocks({ repository, checkout, patience, report })
  try {
    await locks.take()
    if (checkout?.behind) {
      await checkout.applyPending()
      // Git needs the lock of the index itself.
      locks.release()
      await locks.take()
    }
    return await job()
  } finally {
    locks.release()
    locks.close()
    await checkout?.close()
  }
}
