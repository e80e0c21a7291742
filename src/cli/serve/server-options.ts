import { defaultInterval, defaults } from '../../config.js'
import { knownProxyHeaders } from '../../http/proxies/proxy-headers.js'
import { fileLimitOptions } from '../arguments/file-limits.js'
import { serveGroup as group } from '../arguments/shared-options.js'
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
const access = { group: 'Access:' } as const

/** Requests that one client may send to a server that other machines can reach. */
export const defaultRateLimit = '500/s'

/** The options of `serve`. Environment variables may set each of them. */
export const serverOptions = {
  'max-headers': {
    ...number,
    default: 16,
    describe: 'Kibibytes the address and the headers of a request may have',
  },
  'max-connections': { ...number, default: 10_000, describe: 'Connections that may be open at once' },
  'max-record': { ...fileLimitOptions['max-record'], group },
  'max-parts': { ...number, default: 1000, describe: 'Parts a request may have' },
  'max-updates': { ...number, default: 1000, describe: 'Updates that may be under way at once' },
  'max-wait': {
    ...number,
    default: 10,
    describe: 'Seconds an update may have to wait for its turn; one that would wait longer is refused',
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
  'git-time': {
    ...number,
    default: defaults.gitTime / 1000,
    describe: 'Seconds that a clone, fetch or push may take, and one more for each 4 KiB of it',
  },
  'rate-limit': {
    ...text,
    describe: 'Requests one client may send, as 100/s, 600/min or 10000/h, or off',
    defaultDescription: `off on the loopback address, else ${defaultRateLimit}`,
  },
  'cors-origin': {
    ...texts,
    describe: 'Origin of web pages whose scripts may use the service: https://ui.example.org',
  },
  log: {
    choices: logForms,
    default: 'text',
    group,
    describe: 'Lines on standard error for people, JSON for programs, or none',
  },
  'log-level': {
    choices: logLevels,
    default: 'warn',
    group,
    describe: 'info: each request too; warn: what is to be looked at; error: failures only',
  },
  metrics: { ...flag, default: true, describe: 'Measure, and answer /metrics for Prometheus' },
  host: {
    ...text,
    default: 'localhost',
    describe: 'Address to listen on; others than of this machine need --auth',
  },
  port: { ...number, default: 8040, describe: '0 picks a free one' },
  'former-base-url': { ...texts, describe: 'URLs it was known by before; they still mean our schemas' },
  'trusted-proxy': { ...texts, describe: 'Address or subnet of a proxy that is believed, or loopback' },
  'proxy-headers': {
    choices: knownProxyHeaders,
    requiresArg: true,
    default: knownProxyHeaders[0],
    group,
    describe: 'Which headers that proxy writes: X-Forwarded-*, or Forwarded',
  },
  'schema-landing-page': {
    ...text,
    describe: 'Page of a schema for people, with $(id) and $(version) in it',
    defaultDescription: 'our own',
  },
  'metadata-landing-page': {
    ...text,
    describe: 'Page of a metadata document for people, likewise',
    defaultDescription: 'our own',
  },
  'max-document': { ...fileLimitOptions['max-document'], group },
  'allow-push': {
    ...flag,
    default: defaults.allowPush,
    describe: 'Take pushes of git clients, checked like updates over HTTP',
  },
  sign: { ...text, describe: 'File of an ssh key to sign every commit with' },
  follow: {
    ...text,
    describe: 'A repository (URL, path or name of a remote) to fetch from and serve, read-only',
  },
  'push-to': { ...text, describe: 'A repository to push every update to' },
  'ack-remote': {
    ...flag,
    describe: 'Answer an update when the repository of --push-to has it: several servers can share that',
  },
  interval: {
    ...text,
    describe: 'Time between two fetches, such as 500ms, 5s or 1m',
    defaultDescription: `${defaultInterval / 1000}s`,
  },
  auth: { ...flag, ...access, describe: 'Ask for tokens; without it everybody has full rights' },
  'jwt-secret-file': {
    ...text,
    ...access,
    describe: 'File of the secret tokens are signed with; or METASTORE_JWT_SECRET has it',
  },
  'oidc-issuer': {
    ...text,
    ...access,
    describe: 'URL of an OpenID Connect issuer whose tokens are taken',
  },
  'oidc-audience': { ...text, ...access, describe: 'What its tokens have to be for (aud)' },
  'oidc-username-claim': {
    ...text,
    ...access,
    default: 'preferred_username',
    describe: 'The claim with the name that access lists have',
  },
  'oidc-groups-claim': {
    ...text,
    ...access,
    default: 'groups',
    describe: 'The claim with the names of groups',
  },
  'create-role': {
    ...text,
    ...access,
    describe: 'Role that creating records needs, such as USER; default: any token will do',
  },
  insecure: {
    ...flag,
    ...access,
    describe: 'Let everybody who reaches another address than of this machine do everything',
  },
} as const

/** The command line of `serve`. */
export type ServerOptions = CommandLine<typeof serverOptions>

export const serverOptionNames = Object.keys(serverOptions) as readonly (keyof typeof serverOptions)[]
