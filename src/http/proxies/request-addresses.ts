import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { rememberingLast } from '../../core/data-structures/lazy-value.js'
import { malformedRequest } from '../../core/problem.js'
import { trimEnd } from '../../core/value-types.js'

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

/**
 * Returns a function for the key of the client that sent a request: its IPv4 address, or its IPv6 network, because one
 * client has 2^64 addresses.
 * @throws TypeError for an option that is no address
 */
export function openClientKey(options: BaseUrlOptions): (request: IncomingMessage) => string {
  const addressOf = openClientAddress(options)
  return request => networkOf((addressOf(request) ?? '').replace(/^::ffff:(?=\d+\.)/, ''))
}

/** The first 64 bits of an IPv6 address. @see RFC 4291 §2.2 */
function networkOf(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...new Array<string>(gap).fill('0'), ...after]
  return groups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** Whether an address is in a list of addresses and subnets. */
type AddressMatcher = (address: string | undefined) => boolean

/**
 * Matches addresses of proxies.
 * @param entries addresses, subnets (`10.0.0.0/8`) or `loopback`
 * @throws TypeError for another entry
 */
function trustedProxyMatcher(entries: readonly string[]): AddressMatcher {
  const wrong = entries.find(entry => entry !== 'loopback' && !isAddressOrSubnet(entry))
  if (wrong !== undefined) {
    throw new TypeError(
      `"${wrong}" is not the address of a proxy: write it as 10.0.0.1, 10.0.0.0/8 or loopback.`,
    )
  }
  return addressMatcher(entries.flatMap(entry => (entry === 'loopback' ? ['127.0.0.0/8', '::1'] : [entry])))
}

/** Matches these addresses and subnets. Other entries are ignored. */
export function addressMatcher(entries: readonly string[]): AddressMatcher {
  if (entries.length === 0) return () => false
  const list = new BlockList()
  for (const entry of entries.filter(isAddressOrSubnet)) {
    const [address = '', prefix] = entry.split('/')
    if (prefix === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(prefix), familyOf(address))
  }
  // `check` also finds IPv4 addresses in IPv6 notation
  return (address = '') => isIP(address) !== 0 && list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

function isAddressOrSubnet(entry: string): boolean {
  const [address = '', prefix, ...more] = entry.split('/')
  const family = isIP(address)
  const bits = family === 6 ? 128 : 32
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
  return family !== 0 && isPrefix && more.length === 0
}

/**
 * The headers in which proxies name the client: `X-Forwarded-*`, or `Forwarded` (RFC 7239). Only one kind is read,
 * because a proxy passes the other kind on as the client has sent it.
 */
export const knownProxyHeaders = ['x-forwarded', 'forwarded'] as const
type ProxyHeaders = (typeof knownProxyHeaders)[number]

/*
 * Reads the headers that proxies write. Every proxy appends an entry to a list, so a list is read from its end. Reading
 * stops at the first address that is not a trusted proxy: the client may have made up the entries before it.
 * @see RFC 7239 §4
 */

/** The parts of a base URL, as a request states them; not checked. */
interface StatedAddress {
  readonly protocol: string
  readonly host: string
  readonly prefix: string
}

/**
 * The address that the client used, as the outermost trusted proxy states it.
 * @param direct the address according to the request alone, without the headers of proxies
 */
function forwardedAddress(
  request: IncomingMessage,
  headers: ProxyHeaders | undefined,
  isTrusted: AddressMatcher,
  direct: StatedAddress,
): StatedAddress {
  return headers === 'forwarded'
    ? fromForwarded(request, isTrusted, direct)
    : fromXForwarded(request, isTrusted, direct)
}

/** The address from which each proxy got the request, the client's first; undefined for an entry without an address. */
function forwardedClients(
  request: IncomingMessage,
  headers: ProxyHeaders | undefined,
): readonly (string | undefined)[] {
  const nodes =
    headers === 'forwarded'
      ? listIn(request, 'forwarded').map(hop => parseHop(hop).get('for'))
      : listIn(request, 'x-forwarded-for')
  return nodes.map(addressOf)
}

function fromForwarded(
  request: IncomingMessage,
  isTrusted: AddressMatcher,
  direct: StatedAddress,
): StatedAddress {
  const hops = listIn(request, 'forwarded').map(parseHop)
  let index = hops.length - 1
  while (index > 0 && isTrusted(addressOf(hops[index]?.get('for')))) index--
  const hop = hops[index]
  return {
    ...direct,
    protocol: hop?.get('proto') ?? direct.protocol,
    host: hop?.get('host') ?? direct.host,
  }
}

/** Reads the headers `X-Forwarded-*`, each of which is a list. */
function fromXForwarded(
  request: IncomingMessage,
  isTrusted: AddressMatcher,
  direct: StatedAddress,
): StatedAddress {
  const clients = listIn(request, 'x-forwarded-for')
  let hops = 0
  while (hops < clients.length && isTrusted(addressOf(clients.at(-1 - hops)))) hops++
  const pick = (name: string) => {
    const list = listIn(request, name)
    return list[Math.max(0, list.length - 1 - hops)]
  }
  const protocol = pick('x-forwarded-proto')?.toLowerCase() ?? direct.protocol
  const host = pick('x-forwarded-host') ?? direct.host
  const port = pick('x-forwarded-port')
  const usual = protocol === 'https' ? '443' : '80'
  const withPort = port !== undefined && port !== usual && !/:\d+$/.test(host) ? `${host}:${port}` : host
  return { protocol, host: withPort, prefix: trimEnd(pick('x-forwarded-prefix') ?? '', '/') }
}

/**
 * The elements of a list, without the empty ones. Every comma separates, also one within quotes: a client that leaves a
 * quote open must not hide the entries that proxies append.
 */
function listIn(request: IncomingMessage, name: string): readonly string[] {
  return String(request.headers[name] ?? '')
    .split(',')
    .map(value => value.trim())
    .filter(value => value !== '')
}

/** The parameters of an element of `Forwarded`: `for=192.0.2.1;proto=https`. */
function parseHop(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(';').flatMap(pair => {
      const index = pair.indexOf('=')
      if (index < 0) return []
      const value = pair.slice(index + 1).trim()
      return [[pair.slice(0, index).trim().toLowerCase(), value.replace(/^"(.*)"$/, '$1')]]
    }),
  )
}

/**
 * The address in `192.0.2.1`, `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`. What is no address, such as
 * `unknown`, is returned as it is.
 */
function addressOf(node: string | undefined): string | undefined {
  if (node === undefined) return undefined
  return /^\[([^\]]+)\]/.exec(node)?.[1] ?? (isIP(node) ? node : node.replace(/:\d+$/, ''))
}
