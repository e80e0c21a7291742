import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import { ProblemError } from '../../core/problem.js'
import { trimEnd } from '../../core/value-types.js'
import type { ProxyHeaders } from './proxy-headers.js'

export interface BaseUrlOptions {
  /** Address the service is known by, such as `https://example.org/metastore-a`; default: what the request says. */
  readonly baseUrl?: string
  /** Addresses it was known by before; URLs under them still mean our schemas. */
  readonly formerBases?: readonly string[]
  /** Proxies whose {@link ProxyHeaders} are believed: addresses, subnets (`10.0.0.0/8`) or `loopback`. Default: none. */
  readonly trustedProxies?: readonly string[]
  /** Default: `x-forwarded`. */
  readonly proxyHeaders?: ProxyHeaders
}

/** Where a request reached us, without a slash at the end. Nothing of it is ever stored. */
export interface BaseUrls {
  /** What our URLs in the answer begin with. */
  readonly canonical: string
  /** Every beginning an URL of ours may have in the request. */
  readonly accepted: readonly string[]
  /** What our URLs begin with where the request was sent to, as far as it says so in a usable way. */
  readonly reached: string | undefined
}

/** Addresses of this service that clients named lately: what they name is up to them. */
const rememberedBases = 100

/** @throws TypeError for an option that is no URL or no address */
export function openBaseUrls(options: BaseUrlOptions): (request: IncomingMessage) => BaseUrls {
  const fixed = options.baseUrl === undefined ? undefined : parseBase(options.baseUrl)
  const former = (options.formerBases ?? []).map(parseBase)
  const isTrusted = trust(options.trustedProxies ?? [])
  const { proxyHeaders } = options
  const known = new LRUCache<string, BaseUrls>({ max: rememberedBases })

  function basesOf(address: Said): BaseUrls {
    const said = baseOf(address)
    if (fixed !== undefined)
      return {
        canonical: fixed,
        accepted: [fixed, ...(said === undefined ? [] : [said]), ...former],
        reached: said,
      }
    if (said !== undefined) return { canonical: said, accepted: [said, ...former], reached: said }
    throw new ProblemError(
      'malformed-request',
      'The request does not say by a usable Host where it was sent to.',
    )
  }

  return request => {
    const address = saidAddress(request, isTrusted, proxyHeaders)
    // no header has a line break
    const key = `${address.protocol}\n${address.host}\n${address.prefix}`
    let bases = known.get(key)
    if (!bases) {
      bases = basesOf(address)
      known.set(key, bases)
    }
    return bases
  }
}

/** @throws TypeError */
function parseBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new TypeError(
      `"${text}" is no base URL: write it as https://example.org or https://example.org/path.`,
    )
  }
  return trimEnd(url.origin + url.pathname, '/')
}

/** Says of an address whether it is one of these. */
type IsTrusted = (address: string | undefined) => boolean

/**
 * The address a client sent a request from: the one of the connection, or what proxies that are believed say of it.
 * @throws TypeError for an option that is no address
 */
export function openClientAddress({
  trustedProxies = [],
  proxyHeaders,
}: Pick<BaseUrlOptions, 'trustedProxies' | 'proxyHeaders'>): (
  request: IncomingMessage,
) => string | undefined {
  const isTrusted = trust(trustedProxies)
  return request => {
    const { remoteAddress } = request.socket
    if (!isTrusted(remoteAddress)) return remoteAddress
    const hops =
      proxyHeaders === 'forwarded'
        ? values(request, 'forwarded').map(hop => forwardedHop(hop).get('for'))
        : values(request, 'x-forwarded-for')
    const named = hops.map(addressOf).toReversed()
    const at = named.findIndex(address => !isTrusted(address))
    // Where a proxy does not say who it got the request from, nobody before it can.
    return at < 0 ? (named.at(-1) ?? remoteAddress) : named[at]
  }
}

/** Says whether an address is one of these, or in one of these subnets; what is neither is no address. */
export function addressMatcher(entries: readonly string[]): IsTrusted {
  return trust(
    entries.filter(entry => {
      const [address = '', prefix, ...more] = entry.split('/')
      return more.length === 0 && isAddress(address, prefix)
    }),
  )
}

/** @param prefix length of the part that all addresses of a subnet have in common, in bits */
function isAddress(address: string, prefix: string | undefined): boolean {
  const family = isIP(address)
  const bits = family === 6 ? 128 : 32
  return family !== 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
}

/** @throws TypeError */
function trust(entries: readonly string[]): IsTrusted {
  if (entries.length === 0) return () => false
  const list = new BlockList()
  for (const entry of entries.flatMap(entry => (entry === 'loopback' ? ['127.0.0.0/8', '::1'] : [entry]))) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (!isAddress(address, prefix)) {
      throw new TypeError(
        `"${entry}" is no address of a proxy: write it as 10.0.0.1, 10.0.0.0/8 or loopback.`,
      )
    }
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return address => {
    const plain = address?.replace(/^::ffff:(?=\d+\.)/, '') ?? ''
    const family = isIP(plain)
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
  }
}

interface Said {
  readonly protocol: string
  readonly host: string
  readonly prefix: string
}

function saidAddress(
  request: IncomingMessage,
  isTrusted: IsTrusted,
  headers: ProxyHeaders | undefined,
): Said {
  const direct: Said = {
    protocol: 'encrypted' in request.socket ? 'https' : 'http',
    host: request.headers.host ?? localHost(request),
    prefix: '',
  }
  if (!isTrusted(request.socket.remoteAddress)) return direct
  return headers === 'forwarded'
    ? forwarded(request, isTrusted, direct)
    : xForwarded(request, isTrusted, direct)
}

/** Undefined where a header says what cannot stand in an URL. */
function baseOf({ protocol, host, prefix }: Said): string | undefined {
  const usable =
    /^https?$/.test(protocol) &&
    /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(host) &&
    /^(?:\/[A-Za-z0-9._~-]+)*$/.test(prefix)
  const base = `${protocol}://${host}${prefix}`
  // what has the form may still be none: a port above 65535, `999.999.999.999`, `xn--a`
  return usable && URL.canParse(base) ? base : undefined
}

/** HTTP/1.0 needs no Host header. */
function localHost(request: IncomingMessage): string {
  const { localAddress = 'localhost', localPort } = request.socket
  return `${isIP(localAddress) === 6 ? `[${localAddress}]` : localAddress}:${localPort}`
}

/**
 * What the outermost trusted proxy says. Every proxy appends at the end, so we go back from the end as long as the
 * address that is named is one of a proxy we trust: what stands before that may be the client's own invention.
 * @see RFC 7239 §4
 */
function forwarded(request: IncomingMessage, isTrusted: IsTrusted, direct: Said): Said {
  const hops = values(request, 'forwarded').map(forwardedHop)
  let at = hops.length - 1
  while (at > 0 && isTrusted(addressOf(hops[at]?.get('for')))) at--
  const hop = hops[at]
  return {
    ...direct,
    protocol: hop?.get('proto') ?? direct.protocol,
    host: hop?.get('host') ?? direct.host,
  }
}

/** The same by the older headers, of which each is a list of its own. */
function xForwarded(request: IncomingMessage, isTrusted: IsTrusted, direct: Said): Said {
  const clients = values(request, 'x-forwarded-for')
  let hops = 0
  while (hops < clients.length && isTrusted(addressOf(clients.at(-1 - hops)))) hops++
  const pick = (name: string) => {
    const list = values(request, name)
    return list[Math.max(0, list.length - 1 - hops)]
  }
  const protocol = pick('x-forwarded-proto')?.toLowerCase() ?? direct.protocol
  const host = pick('x-forwarded-host') ?? direct.host
  const port = pick('x-forwarded-port')
  const usual = protocol === 'https' ? '443' : '80'
  const withPort = port !== undefined && port !== usual && !/:\d+$/.test(host) ? `${host}:${port}` : host
  return { protocol, host: withPort, prefix: trimEnd(pick('x-forwarded-prefix') ?? '', '/') }
}

function values(request: IncomingMessage, name: string): readonly string[] {
  const header = request.headers[name]
  if (header === undefined) return []
  return String(header)
    .split(',')
    .map(value => value.trim())
    .filter(value => value !== '')
}

function forwardedHop(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(';').flatMap(pair => {
      const at = pair.indexOf('=')
      if (at < 0) return []
      const value = pair.slice(at + 1).trim()
      return [[pair.slice(0, at).trim().toLowerCase(), value.replace(/^"(.*)"$/, '$1')]]
    }),
  )
}

/** The address of `192.0.2.1`, `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
function addressOf(node: string | undefined): string | undefined {
  if (node === undefined) return undefined
  return /^\[([^\]]+)\]/.exec(node)?.[1] ?? (isIP(node) ? node : node.replace(/:\d+$/, ''))
}
