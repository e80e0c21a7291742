import type { Argv } from 'yargs'
import { defaults, logForms, logLevels, type ServerConfig, serverDefaults } from '../../config.js'
import type { RateLimit } from '../../http/limits/rate-limit.js'
import { serveGroup as group } from '../arguments/shared-options.js'
import { UsageError } from '../command-context.js'
import { isLoopbackHost } from './loopback-address.js'

/** Options of `serve` for those who keep it running; each can come from the environment. */
export const runningOptions = [
  'max-record',
  'max-parts',
  'max-headers',
  'max-connections',
  'max-updates',
  'max-wait',
  'headers-timeout',
  'request-timeout',
  'git-time',
  'rate-limit',
  'cors-origin',
  'log',
  'log-level',
  'metrics',
]

const requiresArg = true

export function withRunningOptions<T>(parser: Argv<T>) {
  const number = { type: 'number', requiresArg, group } as const
  return parser.options({
    'max-headers': {
      ...number,
      default: serverDefaults.maxHeaders,
      describe: 'Kibibytes the address and the headers of a request may have',
    },
    'max-connections': {
      ...number,
      default: serverDefaults.maxConnections,
      describe: 'Connections that may be open at once',
    },
    'max-record': { ...number, default: serverDefaults.maxRecord, describe: 'Kibibytes a record may have' },
    'max-parts': { ...number, default: serverDefaults.maxParts, describe: 'Parts a request may have' },
    'max-updates': {
      ...number,
      default: serverDefaults.maxUpdates,
      describe: 'Updates that may be under way at once',
    },
    'max-wait': {
      ...number,
      default: serverDefaults.maxWait,
      describe: 'Seconds an update may have to wait for its turn; one that would wait longer is refused',
    },
    'headers-timeout': {
      ...number,
      default: serverDefaults.headersTimeout,
      describe: 'Seconds a client has to send the headers of a request',
    },
    'request-timeout': {
      ...number,
      default: serverDefaults.requestTimeout,
      describe: 'Seconds a client has to send a request with its body',
    },
    'git-time': {
      ...number,
      default: defaults.gitTime / 1000,
      describe: 'Seconds that a clone, fetch or push may take, and one more for each 4 KiB of it',
    },
    'rate-limit': {
      type: 'string',
      requiresArg,
      group,
      describe: 'Requests one client may send, as 100/s, 600/min or 10000/h, or off',
      defaultDescription: `off on the loopback address, else ${serverDefaults.rateLimit}`,
    },
    'cors-origin': {
      type: 'string',
      array: true,
      requiresArg,
      default: [] as string[],
      group,
      describe: 'Origin of web pages whose scripts may use the service: https://ui.example.org',
    },
    log: {
      choices: logForms,
      default: serverDefaults.log,
      group,
      describe: 'Lines on standard error for people, JSON for programs, or none',
    },
    'log-level': {
      choices: logLevels,
      default: serverDefaults.logLevel,
      group,
      describe: 'info: each request too; warn: what is to be looked at; error: failures only',
    },
    metrics: {
      type: 'boolean',
      default: serverDefaults.metrics,
      group,
      describe: 'Measure, and answer /metrics for Prometheus',
    },
  })
}

export type ServerOptions = Pick<
  ServerConfig,
  | 'maxRecord'
  | 'maxParts'
  | 'maxHeaders'
  | 'maxConnections'
  | 'maxUpdates'
  | 'maxWait'
  | 'headersTimeout'
  | 'requestTimeout'
  | 'log'
  | 'logLevel'
  | 'metrics'
> & {
  readonly corsOrigin: readonly string[]
  /** In seconds. */
  readonly gitTime: number
  /** Undefined: as the host has it. */
  readonly rateLimit: string | undefined
}

/** Before anything is made or opened. @throws UsageError */
export function validateServerOptions(options: ServerOptions): void {
  const wholes = {
    'max-record': options.maxRecord,
    'max-parts': options.maxParts,
    'max-headers': options.maxHeaders,
    'max-connections': options.maxConnections,
    'max-updates': options.maxUpdates,
    'max-wait': options.maxWait,
    'headers-timeout': options.headersTimeout,
    'request-timeout': options.requestTimeout,
    'git-time': options.gitTime,
  }
  for (const [name, value] of Object.entries(wholes)) {
    if (!(Number.isSafeInteger(value) && value >= 1 && value <= longestTimer)) {
      throw new UsageError(`--${name} has to be a whole number from 1 to ${longestTimer}.`)
    }
  }
  if (options.headersTimeout > options.requestTimeout) {
    throw new UsageError(
      '--headers-timeout has to be at most --request-timeout, which counts the headers too.',
    )
  }
  for (const origin of options.corsOrigin) {
    const port = origin.replace(/:\*$/, ':1')
    if (!URL.canParse(port) || !/^https?:$/.test(new URL(port).protocol) || new URL(port).origin !== port) {
      throw new UsageError(
        `--cors-origin "${origin}" is no origin: write it as https://ui.example.org, or http://localhost:* for any port.`,
      )
    }
  }
  if (options.rateLimit !== undefined) parseRateLimit(options.rateLimit)
}

/** What Node.js can wait for at most is 2^31 milliseconds. */
const longestTimer = 2_000_000

/** The share of a client; undefined: as much as it likes, as on the loopback address. */
export function rateLimitOf(options: ServerOptions, host: string): RateLimit | undefined {
  return parseRateLimit(options.rateLimit ?? (isLoopbackHost(host) ? 'off' : serverDefaults.rateLimit))
}

const seconds = { s: 1, min: 60, h: 3600 } as const

/** @throws UsageError */
function parseRateLimit(text: string): RateLimit | undefined {
  if (text === 'off') return undefined
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})\/(s|min|h)$/.exec(text) ?? []
  if (count === '') {
    throw new UsageError(`--rate-limit "${text}" is none: write it as 100/s, 600/min, 10000/h, or off.`)
  }
  return { requests: Number(count), seconds: seconds[unit as keyof typeof seconds] }
}
