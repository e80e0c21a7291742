/**
 * The headers in which proxies name the client: `X-Forwarded-*`, or `Forwarded` (RFC 7239). Only one kind is read,
 * because a proxy passes the other kind on as the client has sent it.
 */
export const knownProxyHeaders = ['x-forwarded', 'forwarded'] as const
export type ProxyHeaders = (typeof knownProxyHeaders)[number]
