import { features } from '../../features.js'
import { uploadLimits } from '../../http/forms/upload-limits.js'
import { knownProxyHeaders } from '../../http/proxies/request-addresses.js'
import { fileLimitOptions } from '../arguments/file-limits.js'
import type { OptionTable } from '../arguments/option-table.js'
import { accessGroup, serveGroup as group } from '../arguments/shared-options.js'
import type { CommandLine } from '../command.js'

/** Forms of the log: text for people, JSON for programs, or none. */
export const logForms = ['text', 'json', 'off'] as const
/** Levels of the log. Each includes those before it: failures; notes to the operator; each request. */
export const logLevels = ['error', 'warn', 'info'] as const
export type LogLevel = (typeof logLevels)[number]

const number = { type: 'number', requiresArg: true, group } as const
const text = { type: 'string', requiresArg: true, group } as const
const texts = { ...text, array: true, default: [] as readonly string[] } as const
const flag = { type: 'boolean', default: false, group } as const
const access = { group: accessGroup } as const

/** Default limit of the requests of one client, on a server that other machines can reach. */
export const defaultRateLimit = '500/s'

/** The options of `serve` that the core has. Environment variables may set each of them. */
export const serverOptions = {
  'max-headers': {
    ...number,
    default: 16,
    describe: 'Kibibytes that the address and the headers of a request may have',
  },
  'max-connections': { ...number, default: 10_000, describe: 'Connections that may be open at once' },
  'max-record': { ...fileLimitOptions['max-record'], group },
  'max-parts': { ...number, default: uploadLimits().parts, describe: 'Parts that a request may have' },
  'max-updates': { ...number, default: 1000, describe: 'Updates that may be under way at once' },
  'max-wait': {
    ...number,
    default: 10,
    describe: 'Seconds that an update may wait; updates that would wait longer are refused',
  },
  'headers-timeout': {
    ...number,
    default: 20,
    describe: 'Seconds a client has to send the headers of a request',
  },
  'request-timeout': {
    ...number,
    default: 300,
    describe: 'Seconds a client has to send a request with its body',
  },
  'rate-limit': {
    ...text,
    describe: 'Requests that one client may send: 100/s, 600/min, 10000/h or off',
    defaultDescription: `off on the loopback address, else ${defaultRateLimit}`,
  },
  'cors-origin': {
    ...texts,
    describe: 'Origin of web pages whose scripts may use the service: https://ui.example.org; repeatable',
  },
  log: {
    choices: logForms,
    default: 'text',
    group,
    describe: 'Log on standard error: text for people, JSON for programs, or off',
  },
  'log-level': {
    choices: logLevels,
    default: 'warn',
    group,
    describe: 'error: failures; warn: also notes to the operator; info: also each request',
  },
  metrics: { ...flag, default: true, describe: 'Measure, and serve /metrics for Prometheus' },
  host: {
    ...text,
    default: 'localhost',
    describe: 'Address to listen on; addresses that other machines reach need --auth',
  },
  port: { ...number, default: 8040, describe: 'Port to listen on; 0: any free port' },
  'former-base-url': {
    ...texts,
    describe: 'Former URL of the service, which still names its schemas in requests; repeatable',
  },
  'trusted-proxy': { ...texts, describe: 'Address or subnet of a trusted proxy, or loopback; repeatable' },
  'proxy-headers': {
    choices: knownProxyHeaders,
    requiresArg: true,
    default: knownProxyHeaders[0],
    group,
    describe: 'Headers that the proxy writes: X-Forwarded-*, or Forwarded',
  },
  'schema-landing-page': {
    ...text,
    describe: 'URL of the page of a schema, with $(id) and $(version)',
    defaultDescription: 'our own',
  },
  'metadata-landing-page': {
    ...text,
    describe: 'URL of the page of a metadata document, with $(id) and $(version)',
    defaultDescription: 'our own',
  },
  'max-document': { ...fileLimitOptions['max-document'], group },
  sign: { ...text, describe: 'File of an ssh key to sign every commit with' },
  auth: { ...flag, ...access, describe: 'Require tokens; without --auth every client has full rights' },
  'jwt-secret-file': {
    ...text,
    ...access,
    describe: 'File of the secret that signs tokens; default: METASTORE_JWT_SECRET has it',
  },
  'oidc-issuer': {
    ...text,
    ...access,
    describe: 'URL of an OpenID Connect issuer whose tokens are accepted',
  },
  'oidc-audience': { ...text, ...access, describe: 'Audience (aud) that these tokens must have' },
  'oidc-username-claim': {
    ...text,
    ...access,
    default: 'preferred_username',
    describe: 'Claim with the name of the user, as access lists have it',
  },
  'oidc-groups-claim': {
    ...text,
    ...access,
    default: 'groups',
    describe: 'Claim with the names of groups',
  },
  'create-role': {
    ...text,
    ...access,
    describe: 'Role that may create records, such as USER; default: any token',
  },
  insecure: {
    ...flag,
    ...access,
    describe: 'Allow every client full rights although other machines reach the server',
  },
} as const

/** The command line of `serve`, without the options of features. */
export type ServerOptions = CommandLine<typeof serverOptions>

/** The options of `serve`: those of the core and those of features. */
export const allServerOptions: OptionTable = Object.assign(
  {},
  serverOptions,
  ...features.map(({ options }) => options),
)

export const serverOptionNames = Object.keys(allServerOptions)
