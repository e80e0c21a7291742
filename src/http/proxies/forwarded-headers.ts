import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { trimEnd } from '../../core/value-types.js'
import type { ProxyHeaders } from './proxy-headers.js'
import type { AddressMatcher } from './trusted-addresses.js'

/*
 * Reads the headers that proxies write. Every proxy appends an entry to a list, so a list is read from its end. Reading
 * stops at the first address that is not a trusted proxy: the client may have made up the entries before it.
 * @see RFC 7239 §4
 */

/** The parts of a base URL, as a request states them; not checked. */
export interface StatedAddress {
  readonly protocol: string
  readonly host: string
  readonly prefix: string
}

/**
 * The address that the client used, as the outermost trusted proxy states it.
 * @param direct the address according to the request alone, without the headers of proxies
 */
export function forwardedAddress(
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
export function forwardedClients(
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
