import type { Context } from 'koa'
import { rememberingLast } from '../../core/data-structures/lazy-value.js'
import { ProblemError } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'

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
