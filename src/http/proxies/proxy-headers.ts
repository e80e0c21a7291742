/**
 * What the proxies say where a request came from with: `X-Forwarded-*`, or `Forwarded` (RFC 7239). Only one of them, as
 * what a proxy does not write it passes on as the client has made it up.
 */
export const knownProxyHeaders = ['x-forwarded', 'forwarded'] as const
export type ProxyHeaders = (typeof knownProxyHeaders)[number]
