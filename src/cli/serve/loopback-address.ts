import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only this machine can reach a host. False for other names than `localhost`, which may have any address. */
export function isLoopbackHost(host: string): boolean {
  const family = isIP(host)
  return host === 'localhost' || (family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4'))
}
