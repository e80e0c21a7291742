import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { openShares } from '../../core/scheduling/fair-queue.js'
import type { ClientOf } from '../auth/identify-caller.js'
import { onResponseClose } from '../request-state.js'

export interface LongLivedResponseLimits {
  /** Limit of the responses that wait for changes at the same time. */
  readonly answers: number
  /** Milliseconds without an event after which a stream sends a comment, because proxies close silent connections. */
  readonly heartbeat: number
}

export const defaultLongLivedResponseLimits: LongLivedResponseLimits = { answers: 256, heartbeat: 15_000 }

/** Responses that wait for changes. Each keeps a connection, so their number is limited. */
export interface LongLivedResponses extends Pick<LongLivedResponseLimits, 'heartbeat'> {
  /**
   * Counts a response until it is sent or the client has closed the connection.
   * @throws ProblemError `unavailable` if too many responses wait
   */
  admit(ctx: Context): void
}

/** Opens the count of waiting responses. One client may have a quarter of the limit, but at least eight. */
export function openLongLivedResponses(
  { answers, heartbeat }: LongLivedResponseLimits,
  clientOf: ClientOf,
): LongLivedResponses {
  const maxOfClient = Math.min(answers, Math.max(8, Math.floor(answers / 4)))
  const places = openShares(answers, maxOfClient)

  return {
    heartbeat,
    admit(ctx) {
      const share = places.enter(clientOf(ctx))
      if (!share.take(1)) {
        throw new ProblemError(
          'unavailable',
          `Too many requests wait for changes: the limit is ${answers} of all clients, and ${maxOfClient} of one. Try again later, or send the request without waiting.`,
          { retryAfter: 30 },
        )
      }
      onResponseClose(ctx, share.leave)
    },
  }
}
