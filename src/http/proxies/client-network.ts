import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { type BaseUrlOptions, openClientAddress } from './base-url.js'

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
