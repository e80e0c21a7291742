import { ProblemError, shuttingDown } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import type { SearchEngine } from '../search-engine.js'

/**
 * Waits until the index reflects the commit. A paused index is not waited for.
 * @param patience limit of the wait in milliseconds
 * @param closing aborted when the engine closes
 * @throws ProblemError `unavailable` after an error of the index, after the limit, or when the engine closes
 */
export async function waitUntilUpToDate(
  engine: Pick<SearchEngine, 'waitFor' | 'progress'>,
  commit: Oid,
  patience: number,
  closing: AbortSignal,
): Promise<void> {
  const end = performance.now() + patience
  for (;;) {
    if (await engine.waitFor(commit, 500, closing)) return
    if (closing.aborted) throw shuttingDown()
    const { lag, lastError, isPaused } = engine.progress()
    // A paused index is not brought up to date until a command resumes it.
    if (isPaused) return
    if (lastError === undefined && performance.now() < end) continue
    const why = lastError === undefined ? `${lag} revisions are left` : lastError
    throw new ProblemError('unavailable', `The search index is not up to date: ${why}. Try again.`)
  }
}
