import type { Context } from 'koa'
import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'

/**
 * Refuses a request without exactly one Host header, or with broken percent-encoding. Node.js can check the Host too
 * (`requireHostHeader`), but its response has no body.
 * @throws ProblemError `malformed-request`
 * @see RFC 9112 §3.2
 */
export function refuseMalformedAddress(ctx: Context): void {
  const { headers, rawHeaders, httpVersion } = ctx.req
  if (headers.host === undefined && httpVersion !== '1.0')
    throw malformedRequest('The request has no Host header.')
  if (hasTwoHosts(rawHeaders)) throw malformedRequest('The request has two Host headers.')
  for (const part of [ctx.path, ctx.querystring]) {
    if (part.includes('%') && !isDecodable(part))
      throw malformedRequest(`The percent-encoding of "${truncate(part)}" is broken.`)
  }
}

/** Node.js uses the first Host, but a proxy may have used the second. @param headers names and values, alternating */
function hasTwoHosts(headers: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}
