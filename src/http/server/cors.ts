import type { Context, Middleware } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import type { BaseUrls } from '../proxies/base-url.js'

/** Response headers that scripts may read, beyond the CORS-safelisted ones. */
const exposed =
  'Content-Range, ETag, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id'

/**
 * Lets scripts of these origins read responses.
 * @param origins `https://ui.example.org`; `http://localhost:*` means any port
 * @see docs/contract.md#cross-origin-requests; https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function cors(origins: readonly string[]): Middleware {
  return (ctx, next) => {
    ctx.vary('Origin')
    const origin = ctx.get('Origin')
    if (!isAmong(origins, origin)) return next()
    ctx.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Expose-Headers': exposed,
    })
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return next()
    // In responses with credentials, an asterisk is not a wildcard.
    ctx.set({
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
      'Access-Control-Allow-Headers':
        'Accept, Authorization, Content-Type, If-Match, If-None-Match, Prefer, X-Elastic-Client-Meta, X-Request-Id, traceparent',
    })
    ctx.status = 204
    return undefined
  }
}

/**
 * Refuses a POST that a browser sends for a page of another site. Browsers send forms without a CORS check, and a
 * server on the loopback address gives every client full rights.
 * @param origins allowed origins
 * @see https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header: every browser sends it, nothing else does
 */
export function refuseCrossSitePosts(origins: readonly string[]): (ctx: Context) => void {
  return ctx => {
    if (
      ctx.method === 'POST' &&
      ctx.headers['sec-fetch-site'] === 'cross-site' &&
      !isAmong(origins, ctx.get('Origin'))
    ) {
      throw new ProblemError('forbidden', 'A page of another site may not change records of this server.')
    }
  }
}

/** @see RFC 9110 §9.2.1 */
const safe = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Refuses every change that a browser requests for a page of another origin, and a browser's request that does not name
 * the origin. For servers without authentication, on which every caller has full rights.
 * @param origins allowed origins
 * @param basesOf base URLs of a request
 * @throws ProblemError `forbidden`
 * @see https://fetch.spec.whatwg.org/#origin-header; https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
export function openOriginCheck(
  origins: readonly string[],
  basesOf: (ctx: Context) => BaseUrls,
): (ctx: Context) => void {
  function isOwn(ctx: Context, origin: string): boolean {
    if (!URL.canParse(origin)) return false
    const { host } = new URL(origin)
    if (host === ctx.headers.host?.toLowerCase()) return true
    const { canonical, reached } = basesOf(ctx)
    return [canonical, reached].some(base => base !== undefined && new URL(base).origin === origin)
  }

  return ctx => {
    if (safe.has(ctx.method)) return
    const { origin, 'sec-fetch-site': site, 'user-agent': agent = '' } = ctx.headers
    if (origin !== undefined) {
      if (isAmong(origins, origin) || isOwn(ctx, origin)) return
      throw new ProblemError(
        'forbidden',
        `A page of another origin (${truncate(origin)}) may not change records of this server. The option --cors-origin allows origins.`,
      )
    }
    if (site !== undefined ? site === 'same-origin' || site === 'none' : !agent.startsWith('Mozilla/')) return
    throw new ProblemError(
      'forbidden',
      'The browser does not say that the change comes from a page of this server.',
    )
  }
}

function isAmong(origins: readonly string[], origin: string): boolean {
  return origins.some(pattern =>
    pattern.endsWith(':*')
      ? origin.startsWith(pattern.slice(0, -1)) && /:\d+$/.test(origin)
      : origin === pattern,
  )
}
