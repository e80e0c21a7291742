import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { openShares } from '../../core/scheduling/fair-shares.js'
import type { ClientOf } from '../auth/identify-caller.js'

/** Memory that the bodies of all requests, or of all answers, share. */
export interface Room {
  /**
   * Begins an exchange, which keeps its part until its answer is sent or its connection closed.
   * @returns takes room for so many bytes more; throws ProblemError `unavailable` where others have taken too much
   */
  enter(ctx: Context): (bytes: number) => void
}

/**
 * One client has at most half of it.
 * @param most bytes of all exchanges together
 * @param full says why a request is refused
 */
export function openRoom(most: number, full: string, clientOf: ClientOf): Room {
  const shares = openShares(most, most / 2)
  return {
    enter(ctx) {
      const share = shares.enter(clientOf(ctx))
      // No event gives the room of a closed connection back.
      if (ctx.res.closed) share.leave()
      else ctx.res.once('close', share.leave)
      return bytes => {
        if (share.take(bytes)) return
        throw new ProblemError('unavailable', `${full} Try again in a moment.`, { retryAfter: 5 })
      }
    },
  }
}
