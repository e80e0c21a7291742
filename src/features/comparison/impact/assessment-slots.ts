import type { Principal } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'

/** Limit of running assessments of all callers together. */
export const maxConcurrentAssessments = 2

/**
 * Limits the assessments of schema changes that run at once: one for each client, and a few for all.
 * @returns a function that takes a slot and returns a function that frees it, which may be called twice. The slot is
 *   also freed when the signal aborts
 * @throws ProblemError `unavailable` if no slot is free
 */
export function openAssessmentSlots(): (caller: Principal, signal: AbortSignal) => () => void {
  /** The client of each running assessment. */
  const running = new Map<object, string>()

  return ({ client }, signal) => {
    const key = client?.key ?? ''
    if ([...running.values()].includes(key)) {
      throw new ProblemError(
        'unavailable',
        'An assessment for this client is running, and each client may have one. Try again when it has ended.',
        { retryAfter: 30 },
      )
    }
    if (running.size >= maxConcurrentAssessments) {
      throw new ProblemError(
        'unavailable',
        `${maxConcurrentAssessments} assessments are running, which is the limit. Try again in a minute.`,
        { retryAfter: 30 },
      )
    }
    const slot = {}
    const free = () => {
      running.delete(slot)
      signal.removeEventListener('abort', free)
    }
    if (signal.aborted) return free
    running.set(slot, key)
    signal.addEventListener('abort', free)
    return free
  }
}
