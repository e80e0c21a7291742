import type { Middleware } from 'koa'

/**
 * Lets scripts of web pages read what is answered.
 * @param origins `https://ui.example.org`; `http://localhost:*` means any port
 * @see contract, 1.6; Fetch, "CORS protocol"
 */
export function cors(origins: readonly string[]): Middleware {
  const permitted = (origin: string) =>
    origins.some(pattern =>
      pattern.endsWith(':*')
        ? origin.startsWith(pattern.slice(0, -1)) && /:\d+$/.test(origin)
        : origin === pattern,
    )
  return (ctx, next) => {
    ctx.vary('Origin')
    const origin = ctx.get('Origin')
    if (!permitted(origin)) return next()
    ctx.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Expose-Headers': 'Content-Range, ETag, Location',
    })
    const method = ctx.get('Access-Control-Request-Method')
    if (ctx.method !== 'OPTIONS' || method === '') return next()
    // with credentials an asterisk would mean itself
    ctx.set({
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
      'Access-Control-Allow-Headers': 'Accept, Authorization, Content-Type, If-Match, If-None-Match',
    })
    ctx.status = 204
    return undefined
  }
}
