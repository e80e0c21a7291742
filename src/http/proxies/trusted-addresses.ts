import { BlockList, isIP } from 'node:net'

/** Whether an address is in a list of addresses and subnets. */
export type AddressMatcher = (address: string | undefined) => boolean

/**
 * Matches addresses of proxies.
 * @param entries addresses, subnets (`10.0.0.0/8`) or `loopback`
 * @throws TypeError for another entry
 */
export function trustedProxyMatcher(entries: readonly string[]): AddressMatcher {
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
