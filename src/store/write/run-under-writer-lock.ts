import type { Repository } from '../repository/open-repository.js'
import { Checkout } from '../work-tree/checkout.js'
import { WriteLocks } from './writer-and-index-locks.js'

interface ExclusiveRunOptions {
  /** Milliseconds to wait for other git-metastore processes. */
  readonly patience: number
  readonly report: (line: string) => void
}

/**
 * Runs a job of git commands that write, while no git-metastore process writes and the index is at the branch. First
 * removes the remains of killed processes.
 * @param job gets a function that also takes the lock of the index, until the end of the job
 * @throws ProblemError `unavailable` if another process keeps a lock
 */
export async function runExclusively<T>(
  repository: Repository,
  { patience, report }: ExclusiveRunOptions,
  job: (takeIndex: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const checkout = repository.bare ? undefined : new Checkout(repository, report)
  const locks = new WriteLocks({ repository, checkout, patience, report })
  try {
    await locks.take()
    if (checkout?.behind) {
      await checkout.applyPending()
      // Git takes the lock of the index itself.
      locks.release()
      await locks.take()
    }
    return await job(() => locks.takeIndex())
  } finally {
    locks.release()
    locks.close()
    await checkout?.close()
  }
}
