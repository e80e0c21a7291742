import { BlockList, isIP } from 'node:net'
import type { RateLimit } from '../../http/limits/rate-limit.js'
import { fileLimitsOf } from '../arguments/file-limits.js'
import { maxSeconds, requireWholeNumber } from '../arguments/whole-number.js'
import { UsageError } from '../command-context.js'
import { defaultRateLimit, type ServerOptions } from './server-options.js'

/** Checks the options before the server makes or opens anything. @throws UsageError */
export function validateServerOptions(options: ServerOptions): void {
  const { port, headersTimeout, requestTimeout, corsOrigin, rateLimit } = options
  requireWholeNumber('port', port, 0, 65_535)
  for (const name of ['schema-landing-page', 'metadata-landing-page'] as const) {
    const template = options[name]
    if (template !== undefined && !/^(?:\/|https?:\/\/)[^\s]*\$\(id\)/.test(template)) {
      throw new UsageError(
        `--${name} must be a path or a URL with $(id): https://example.org/show?id=$(id)&version=$(version)`,
      )
    }
  }
  fileLimitsOf(options)
  for (const name of wholeNumbers) requireWholeNumber(name, options[name], 1, maxSeconds)
  if (headersTimeout > requestTimeout) {
    throw new UsageError('--headers-timeout must be at most --request-timeout, which counts the headers too.')
  }
  for (const origin of corsOrigin) {
    const port = origin.replace(/:\*$/, ':1')
    if (!URL.canParse(port) || !/^https?:$/.test(new URL(port).protocol) || new URL(port).origin !== port) {
      throw new UsageError(
        `--cors-origin "${origin}" is not an origin: write it as https://ui.example.org, or http://localhost:* for any port.`,
      )
    }
  }
  if (rateLimit !== undefined) parseRateLimit(rateLimit)
}

const wholeNumbers = [
  'max-record',
  'max-parts',
  'max-headers',
  'max-connections',
  'max-updates',
  'max-wait',
  'headers-timeout',
  'request-timeout',
] as const

/** The limit of requests for each client. Undefined: no limit, the default on the loopback address. */
export function rateLimitOf({
  rateLimit,
  host,
}: Pick<ServerOptions, 'rateLimit' | 'host'>): RateLimit | undefined {
  return parseRateLimit(rateLimit ?? (isLoopbackHost(host) ? 'off' : defaultRateLimit))
}

const seconds = { s: 1, min: 60, h: 3600 } as const

/** Parses `--rate-limit`. @returns undefined for `off` @throws UsageError */
function parseRateLimit(text: string): RateLimit | undefined {
  if (text === 'off') return undefined
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})\/(s|min|h)$/.exec(text) ?? []
  if (count === '') {
    throw new UsageError(
      `--rate-limit "${text}" is not a rate limit: write it as 100/s, 600/min, 10000/h, or off.`,
    )
  }
  return { requests: Number(count), seconds: seconds[unit as keyof typeof seconds] }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only this machine can reach a host. False for other names than `localhost`, which may have any address. */
export function isLoopbackHost(host: string): boolean {
  const family = isIP(host)
  return host === 'localhost' || (family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4'))
}
