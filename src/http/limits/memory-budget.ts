import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { openShares } from '../../core/scheduling/fair-queue.js'
import type { ClientOf } from '../auth/identify-caller.js'
import { onResponseClose } from '../request-state.js'

/** A limit on the memory for the bodies of all requests, or of all responses. */
export interface MemoryBudget {
  /**
   * Begins to reserve memory for a request. The memory is released when the response is sent or the connection is
   * closed.
   * @returns function that reserves further bytes, and throws ProblemError `unavailable` if the budget is used up
   */
  enter(ctx: Context): (bytes: number) => void
}

/**
 * Opens a budget, of which one client may use half.
 * @param maxBytes limit of all requests together
 * @param full first sentence of the problem if the budget is used up
 */
export function openMemoryBudget(maxBytes: number, full: string, clientOf: ClientOf): MemoryBudget {
  const shares = openShares(maxBytes, maxBytes / 2)
  return {
    enter(ctx) {
      const share = shares.enter(clientOf(ctx))
      onResponseClose(ctx, share.leave)
      return bytes => {
        if (share.take(bytes)) return
        throw new ProblemError('unavailable', `${full} Try again in a moment.`, { retryAfter: 5 })
      }
    },
  }
}
