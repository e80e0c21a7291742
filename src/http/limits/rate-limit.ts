import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { Middleware } from 'koa'
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { once } from '../../core/data-structures/lazy-value.js'
import { ProblemError } from '../../core/problem.js'

/** Number of requests that one client may send in a number of seconds. */
export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

const require = createRequire(import.meta.url)
/** Loads the package when the first limit is created: a server on the loopback address has none by default. */
const library = once(() => require('rate-limiter-flexible') as typeof import('rate-limiter-flexible'))

/**
 * Refuses requests over the limit with 429 and `Retry-After`. Every response says how many requests are left.
 * @param addressOf returns the address from which a request came, or the network of that address
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10
 */
export function limitRates(
  { requests, seconds }: RateLimit,
  addressOf: (request: IncomingMessage) => string,
): Middleware {
  const { RateLimiterMemory } = library()
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds })
  const policy = `"client";q=${requests};w=${seconds}`
  return async (ctx, next) => {
    const { remaining, wait } = await consume(limiter, addressOf(ctx.req))
    ctx.set({ 'RateLimit-Policy': policy, RateLimit: `"client";r=${remaining ?? 0};t=${wait}` })
    if (remaining === undefined) {
      throw new ProblemError(
        'too-many-requests',
        `One client may send ${requests} requests in ${seconds === 1 ? 'a second' : `${seconds} seconds`}. Continue in ${wait} s.`,
        { retryAfter: wait },
      )
    }
    await next()
  }
}

/**
 * Counts a request of a client.
 * @returns `remaining`: requests that are left, undefined if this one is over the limit; `wait`: seconds until the
 *   client has all requests again
 */
async function consume(
  limiter: RateLimiterMemory,
  client: string,
): Promise<{ readonly remaining: number | undefined; readonly wait: number }> {
  const waitOf = ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext / 1000))
  try {
    const result = await limiter.consume(client)
    return { remaining: result.remainingPoints, wait: waitOf(result) }
  } catch (refused) {
    if (refused instanceof library().RateLimiterRes) return { remaining: undefined, wait: waitOf(refused) }
    throw refused
  }
}
