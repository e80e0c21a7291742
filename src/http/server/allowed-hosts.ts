import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'

/** Names by which every machine reaches itself. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses a request that names another host than the server has. A web page can have its own name lead to this
 * address, or to a proxy in front of it (DNS rebinding); its scripts would then act as a person who may do everything.
 * @param hosts names and addresses without a port, such as `example.org` or `[::1]`
 * @param reachedOf the base URL that a request was sent to, as a trusted proxy passes it on
 * @throws ProblemError `misdirected`
 * @see RFC 9110 §15.5.20
 */
export function openHostCheck(
  hosts: readonly string[],
  reachedOf: (ctx: Context) => string | undefined,
): (ctx: Context) => void {
  const known = new Set(hosts.map(host => host.toLowerCase()))

  function insist(host: string, { req: { socket } }: Context): void {
    if (known.has(host) || host === literalOf(socket.localAddress ?? '')) return
    throw new ProblemError(
      'misdirected',
      `This server does not answer for the host "${truncate(host)}". Without --auth it answers for ${[...known].join(', ')}. Set --base-url to the address that it is known by.`,
    )
  }

  return ctx => {
    // HTTP/1.0: there is none, and no browser sends that.
    const { host } = ctx.req.headers
    if (host !== undefined) insist(host.replace(/:\d*$/, '').toLowerCase(), ctx)
    const reached = reachedOf(ctx)
    if (reached !== undefined) insist(new URL(reached).hostname, ctx)
  }
}

/** An address as it stands in a URL. */
function literalOf(address: string): string {
  if (address.startsWith('::ffff:')) return address.slice('::ffff:'.length)
  return address.includes(':') ? `[${address}]` : address
}
