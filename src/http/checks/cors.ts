import type { Middleware } from 'koa'

/** Response headers that scripts may read, beyond the CORS-safelisted ones. */
const exposed =
  'Content-Range, ETag, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id'

/**
 * Lets scripts of pages of these origins read responses.
 * @param origins `https://ui.example.org`; `http://localhost:*` means any port
 * @see docs/contract.md#cross-origin-requests; https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function cors(origins: readonly string[]): Middleware {
  return (ctx, next) => {
    ctx.vary('Origin')
    const origin = ctx.get('Origin')
    if (!isAllowedOrigin(origins, origin)) return next()
    ctx.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Expose-Headers': exposed,
    })
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return next()
    // These are lists, because an asterisk is not a wildcard in responses with credentials.
    ctx.set({
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
      'Access-Control-Allow-Headers':
        'Accept, Authorization, Content-Type, If-Match, If-None-Match, Prefer, X-Elastic-Client-Meta, X-Request-Id, traceparent',
    })
    ctx.status = 204
    return undefined
  }
}

/** Whether scripts of an origin are allowed. @param origins as for {@link cors} */
export function isAllowedOrigin(origins: readonly string[], origin: string): boolean {
  return origins.some(pattern =>
    pattern.endsWith(':*')
      ? origin.startsWith(pattern.slice(0, -1)) && /:\d+$/.test(origin)
      : origin === pattern,
  )
}
