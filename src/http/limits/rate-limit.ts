import { createRequire } from 'node:module'
import type { Middleware } from 'koa'
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { once } from '../../core/data-structures/lazy-value.js'
import { ProblemError } from '../../core/problem.js'
import type { BaseUrlOptions } from '../proxies/base-url.js'
import { openClientKey } from '../proxies/client-network.js'

/** Requests one client may send in a while. */
export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

const require = createRequire(import.meta.url)
/** Loaded for the first limit: a server on the loopback address has none. */
const library = once(() => require('rate-limiter-flexible') as typeof import('rate-limiter-flexible'))

/**
 * Refuses what a client sends beyond its share, with 429 and the seconds after which it may go on; every answer says how
 * much is left.
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10
 */
export function limitRates({ requests, seconds }: RateLimit, options: BaseUrlOptions): Middleware {
  const clientOf = openClientKey(options)
  const { RateLimiterMemory } = library()
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds })
  const policy = `"client";q=${requests};w=${seconds}`
  return async (ctx, next) => {
    const { remaining, wait } = await taken(limiter, clientOf(ctx.req))
    ctx.set({ 'RateLimit-Policy': policy, RateLimit: `"client";r=${remaining ?? 0};t=${wait}` })
    if (remaining === undefined) {
      throw new ProblemError(
        'too-many-requests',
        `One client may send ${requests} requests in ${seconds === 1 ? 'a second' : `${seconds} seconds`}. Go on in ${wait} s.`,
        { retryAfter: wait },
      )
    }
    await next()
  }
}

/** Takes one from the client's share. @returns what remains, undefined where there was none; seconds until all is back */
async function taken(
  limiter: RateLimiterMemory,
  client: string,
): Promise<{ readonly remaining: number | undefined; readonly wait: number }> {
  const waitOf = ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext / 1000))
  try {
    const share = await limiter.consume(client)
    return { remaining: share.remainingPoints, wait: waitOf(share) }
  } catch (refused) {
    if (refused instanceof library().RateLimiterRes) return { remaining: undefined, wait: waitOf(refused) }
    throw refused
  }
}
