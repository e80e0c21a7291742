import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import type { BaseUrls } from '../proxies/base-url.js'
import { isAllowedOrigin } from './cors.js'
import { isSafe } from './safe-methods.js'

/*
 * Refuses changes that a browser requests for pages of other sites (cross-site request forgery).
 */

/**
 * Refuses a POST that a browser sends for a page of another site. Browsers send forms without a CORS check, and a
 * server on the loopback address gives every client full rights.
 * @param origins origins whose pages may send changes
 * @see https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header: every browser sends this header, nothing else does
 */
export function refuseCrossSitePosts(origins: readonly string[]): (ctx: Context) => void {
  return ctx => {
    if (
      ctx.method === 'POST' &&
      ctx.headers['sec-fetch-site'] === 'cross-site' &&
      !isAllowedOrigin(origins, ctx.get('Origin'))
    ) {
      throw new ProblemError('forbidden', 'A page of another site may not change records of this server.')
    }
  }
}

/**
 * Refuses every change that a browser requests for a page of another origin, or without naming the origin of the page.
 * For servers without authentication, on which every caller has full rights.
 * @param origins origins whose pages may send changes
 * @param basesOf returns the base URLs of a request
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
    if (isSafe(ctx.method)) return
    const { origin, 'sec-fetch-site': site, 'user-agent': agent = '' } = ctx.headers
    if (origin !== undefined) {
      if (isAllowedOrigin(origins, origin) || isOwn(ctx, origin)) return
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
