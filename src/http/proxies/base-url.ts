import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { rememberingLast } from '../../core/data-structures/lazy-value.js'
import { malformedRequest } from '../../core/problem.js'
import { trimEnd } from '../../core/value-types.js'
import { forwardedAddress, forwardedClients, type StatedAddress } from './forwarded-headers.js'
import type { ProxyHeaders } from './proxy-headers.js'
import { type AddressMatcher, trustedProxyMatcher } from './trusted-addresses.js'

export interface BaseUrlOptions {
  /** Public URL of the service, such as `https://example.org/metastore-a`; default: as the request states it. */
  readonly baseUrl?: string
  /** Previous public URLs. URLs below them still name schemas of the service. */
  readonly formerBases?: readonly string[]
  /** Proxies whose {@link ProxyHeaders} are trusted: addresses, subnets (`10.0.0.0/8`) or `loopback`. Default: none. */
  readonly trustedProxies?: readonly string[]
  /** The kind of headers that these proxies write; default: `x-forwarded`. */
  readonly proxyHeaders?: ProxyHeaders
}

/** Base URLs for a request, without a slash at the end. They are never stored. */
export interface BaseUrls {
  /** Base URL of the URLs in the response. */
  readonly canonical: string
  /** Base URLs with which a URL of this service in the request may begin. */
  readonly accepted: readonly string[]
  /** Base URL to which the request was sent; undefined if the request has no usable host. */
  readonly reached: string | undefined
}

/**
 * Determines the base URLs of each request: from the options, else from its `Host` and the headers of trusted
 * proxies.
 * @returns a function of the request, which throws ProblemError `malformed-request` if the host is unusable
 * @throws TypeError for an option that is no URL or no address
 */
export function openBaseUrls(options: BaseUrlOptions): (request: IncomingMessage) => BaseUrls {
  const fixed = options.baseUrl === undefined ? undefined : parseBase(options.baseUrl)
  const former = (options.formerBases ?? []).map(parseBase)
  const isTrusted = trustedProxyMatcher(options.trustedProxies ?? [])
  const { proxyHeaders } = options
  const urlOf = rememberingLast(usableUrl)
  return request => {
    const { protocol, host, prefix } = statedAddress(request, isTrusted, proxyHeaders)
    const reached = urlOf(protocol, host, prefix)
    const canonical = fixed ?? reached
    if (canonical === undefined) throw malformedRequest('The request has no usable Host header.')
    const own = fixed !== undefined && reached !== undefined ? [fixed, reached] : [canonical]
    return { canonical, accepted: [...own, ...former], reached }
  }
}

/** Checks a base URL of the options. @throws TypeError if it is no such URL */
function parseBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new TypeError(
      `"${text}" is not a base URL: write it as https://example.org or https://example.org/path.`,
    )
  }
  return trimEnd(url.origin + url.pathname, '/')
}

/**
 * Returns a function for the address of a client: that of the connection, or the one that trusted proxies name.
 * @throws TypeError for an option that is no address
 */
export function openClientAddress({
  trustedProxies = [],
  proxyHeaders,
}: Pick<BaseUrlOptions, 'trustedProxies' | 'proxyHeaders'>): (
  request: IncomingMessage,
) => string | undefined {
  const isTrusted = trustedProxyMatcher(trustedProxies)
  return request => {
    const { remoteAddress } = request.socket
    if (!isTrusted(remoteAddress)) return remoteAddress
    const named = forwardedClients(request, proxyHeaders).toReversed()
    const index = named.findIndex(address => !isTrusted(address))
    // An entry without an address is not trusted: it ends the search. If all are trusted, the first one is the client.
    return index < 0 ? (named.at(-1) ?? remoteAddress) : named[index]
  }
}

function statedAddress(
  request: IncomingMessage,
  isTrusted: AddressMatcher,
  headers: ProxyHeaders | undefined,
): StatedAddress {
  const direct: StatedAddress = {
    protocol: 'encrypted' in request.socket ? 'https' : 'http',
    host: request.headers.host ?? localHost(request),
    prefix: '',
  }
  return isTrusted(request.socket.remoteAddress)
    ? forwardedAddress(request, headers, isTrusted, direct)
    : direct
}

/** The base URL with these parts; undefined if a part is not valid in a URL. */
function usableUrl(protocol: string, host: string, prefix: string): string | undefined {
  const isPlain =
    /^https?$/.test(protocol) &&
    /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(host) &&
    /^(?:\/[A-Za-z0-9._~-]+)*$/.test(prefix)
  const base = `${protocol}://${host}${prefix}`
  // These are still not valid: a port above 65535, `999.999.999.999`, `xn--a`.
  return isPlain && URL.canParse(base) ? base : undefined
}

/** The address of the server, for HTTP/1.0 requests without `Host`. */
function localHost(request: IncomingMessage): string {
  const { localAddress = 'localhost', localPort } = request.socket
  return `${isIP(localAddress) === 6 ? `[${localAddress}]` : localAddress}:${localPort}`
}
