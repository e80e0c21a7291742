import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { openShares } from '../../core/scheduling/fair-shares.js'
import type { Requester } from '../../service/comparisons/client-processes.js'
import type { ClientOf } from '../auth/identify-caller.js'

/** How much waiting there may be. */
export interface LongLivedResponseLimits {
  /** Answers that wait at a time. */
  readonly answers: number
  /** Milliseconds after which a stream says that it is still there: proxies take a silent one for dead. */
  readonly heartbeat: number
}

export const defaultLongLivedResponseLimits: LongLivedResponseLimits = { answers: 256, heartbeat: 15_000 }

/** Answers that wait for something to happen: each keeps a connection, so there are not too many of them. */
export interface LongLivedResponses extends Pick<LongLivedResponseLimits, 'heartbeat'> {
  /**
   * Takes in one more, until its answer is sent or the client is gone.
   * @returns given when the wait is to end: the client is gone, or the server stops
   * @throws ProblemError `unavailable` where there are as many already as there may be
   */
  admit(ctx: Context): AbortSignal
  /** The same signal for an answer that takes long because it is a lot of work: of those there may be any number. */
  track(ctx: Context): AbortSignal
  /** The client of a request that a process works for, with the signal of {@link track}. */
  requesterOf(ctx: Context): Requester
  /** Ends all waits. */
  stop(): void
}

/** One client has a quarter of the places, but not fewer than eight. */
export function openLongLivedResponses(
  { answers, heartbeat }: LongLivedResponseLimits,
  clientOf: ClientOf,
): LongLivedResponses {
  const places = openShares(answers, Math.max(8, Math.floor(answers / 4)))
  const waiting = new Set<AbortController>()
  const working = new Set<AbortController>()

  function attended(ctx: Context, among: Set<AbortController>): AbortSignal {
    const wait = new AbortController()
    // Nobody is there any more, and nothing would say so.
    if (ctx.res.closed) {
      wait.abort()
      return wait.signal
    }
    among.add(wait)
    ctx.res.once('close', () => {
      among.delete(wait)
      wait.abort()
    })
    return wait.signal
  }

  return {
    heartbeat,
    admit(ctx) {
      const share = places.enter(clientOf(ctx))
      if (!share.take(1)) {
        throw new ProblemError(
          'unavailable',
          `As many requests wait for changes as may: ${answers} of all clients, a quarter of them of one. Try again later, or ask without waiting.`,
          { retryAfter: 30 },
        )
      }
      if (ctx.res.closed) share.leave()
      else ctx.res.once('close', share.leave)
      return attended(ctx, waiting)
    },
    track: ctx => attended(ctx, working),
    requesterOf: ctx => ({ client: clientOf(ctx), signal: attended(ctx, working) }),
    stop() {
      for (const wait of [...waiting, ...working]) wait.abort()
    },
  }
}
