import type { Context } from 'koa'
import { rememberingLast } from '../../core/data-structures/lazy-value.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import type { BaseUrls } from '../proxies/request-addresses.js'
import { isAllowedOrigin } from './cors.js'

/*
 * Checks that a request is for this server, and that no page of another site requests a change (cross-site request
 * forgery).
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

/**
 * Refuses a request without exactly one Host header. Node.js can check that too (`requireHostHeader`), but its response
 * has no body.
 * @throws ProblemError `malformed-request`
 * @see RFC 9112 §3.2
 */
export function refuseMissingHost(ctx: Context): void {
  const { headers, rawHeaders, httpVersion } = ctx.req
  if (headers.host === undefined && httpVersion !== '1.0')
    throw malformedRequest('The request has no Host header.')
  if (hasTwoHosts(rawHeaders)) throw malformedRequest('The request has two Host headers.')
}

/**
 * Whether there are two `Host` headers: Node.js reads the first one, but a proxy may have read the second one.
 * @param headers names and values, alternating
 */
function hasTwoHosts(headers: readonly string[]): boolean {
  let hosts = 0
  for (let offset = 0; offset < headers.length; offset += 2) {
    const name = headers[offset] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Whether requests with this method only read. @see RFC 9110 §9.2.1 */
export function isSafe(method: string): boolean {
  return safe.has(method)
}

/** Host names of the loopback address. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses a request whose `Host` names another server. Without this check, an attacker's web page could make its own
 * host name lead to this server or to a proxy before it (DNS rebinding), and the scripts of the page would have full
 * rights.
 * @param hosts names and addresses without a port, such as `example.org` or `[::1]`
 * @param reachedOf returns the base URL to which the client sent the request, which a trusted proxy may state
 * @throws ProblemError `misdirected`
 * @see RFC 9110 §15.5.20
 */
export function openHostCheck(
  hosts: readonly string[],
  reachedOf: (ctx: Context) => string | undefined,
): (ctx: Context) => void {
  const known = new Set(hosts.map(host => host.toLowerCase()))
  const hostnameOf = rememberingLast((url: string) => new URL(url).hostname)

  function demandKnown(host: string, { req: { socket } }: Context): void {
    if (known.has(host) || host === literalOf(socket.localAddress ?? '')) return
    throw new ProblemError(
      'misdirected',
      `This server does not answer for the host "${truncate(host)}". Without --auth it answers for ${[...known].join(', ')}. Set --base-url to its public address.`,
    )
  }

  return ctx => {
    // An HTTP/1.0 request may have no Host, but no browser sends one.
    const { host } = ctx.req.headers
    if (host !== undefined) demandKnown(host.replace(/:\d*$/, '').toLowerCase(), ctx)
    const reached = reachedOf(ctx)
    if (reached !== undefined) demandKnown(hostnameOf(reached), ctx)
  }
}

/** An IP address as URLs write it: an IPv6 address in brackets. */
function literalOf(address: string): string {
  if (address.startsWith('::ffff:')) return address.slice('::ffff:'.length)
  return address.includes(':') ? `[${address}]` : address
}
