import type { Context } from 'koa'
import { malformedRequest } from '../../core/problem.js'

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
