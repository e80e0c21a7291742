import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { openShares } from '../../core/scheduling/fair-shares.js'
import type { Requester } from '../../service/comparisons/client-processes.js'
import type { ClientOf } from '../auth/identify-caller.js'
import { onResponseClose } from '../response-close.js'

export interface LongLivedResponseLimits {
  /** Responses that may wait at a time. */
  readonly answers: number
  /** Milliseconds without an event after which a stream sends a comment, because proxies close silent connections. */
  readonly heartbeat: number
}

export const defaultLongLivedResponseLimits: LongLivedResponseLimits = { answers: 256, heartbeat: 15_000 }

/** Responses that wait for changes. Each keeps a connection, so their number is limited. */
export interface LongLivedResponses extends Pick<LongLivedResponseLimits, 'heartbeat'> {
  /**
   * Counts a response until it is sent or the client has closed the connection.
   * @returns aborts when the client is gone or the server stops
   * @throws ProblemError `unavailable` if too many responses wait
   */
  admit(ctx: Context): AbortSignal
  /** The same signal for a response that takes much work, without a limit on the number. */
  track(ctx: Context): AbortSignal
  /** The client of a request, for work in other processes, with the signal of {@link track}. */
  requesterOf(ctx: Context): Requester
  /** Aborts all signals. */
  stop(): void
}

/** One client can have a quarter of the places, but at least eight. */
export function openLongLivedResponses(
  { answers, heartbeat }: LongLivedResponseLimits,
  clientOf: ClientOf,
): LongLivedResponses {
  const places = openShares(answers, Math.max(8, Math.floor(answers / 4)))
  const open = new Set<AbortController>()

  function track(ctx: Context): AbortSignal {
    const controller = new AbortController()
    open.add(controller)
    onResponseClose(ctx, () => {
      open.delete(controller)
      controller.abort()
    })
    return controller.signal
  }

  return {
    heartbeat,
    admit(ctx) {
      const share = places.enter(clientOf(ctx))
      if (!share.take(1)) {
        throw new ProblemError(
          'unavailable',
          `Too many requests wait for changes: the limit is ${answers} of all clients, and a quarter of that of one. Try again later, or send the request without waiting.`,
          { retryAfter: 30 },
        )
      }
      onResponseClose(ctx, share.leave)
      return track(ctx)
    },
    track,
    requesterOf: ctx => ({ client: clientOf(ctx), signal: track(ctx) }),
    stop() {
      for (const controller of open) controller.abort()
    },
  }
}
