import type { RemoteRole } from './core/remote-role.js'

/** Every option with its default, from flags and environment. Frozen; handed to `compose`. */
export interface Config {
  /** The data folder. */
  readonly data: string
  /** The git binary: `auto`, `none` (isomorphic-git only) or a path. */
  readonly git: string
  /** Whether git clients may push, which has no effect without a git binary. */
  readonly allowPush: boolean
  /** Milliseconds that a clone, fetch or push may take, and a second more for each 4 KiB. */
  readonly gitTime: number
  /** Milliseconds an update waits for locks of git commands and of other processes of ours. */
  readonly patience: number
  /** How often packs are merged, as a multiple of the usual. No flag sets it. */
  readonly mergePace: number
  readonly xmlEngine: 'libxml2-wasm' | 'libxmljs2'
  /** Validation workers; 0 means the number of cores. */
  readonly workers: number
  /** Milliseconds one validation may take. */
  readonly validationTime: number
  /** Mebibytes a validation worker may use. */
  readonly validationMemory: number
  /** Levels of arrays and objects a JSON document may have. */
  readonly validationDepth: number
  /** File of the ssh key every commit is signed with. */
  readonly sign?: string
  /** Another repository to follow or to push to. */
  readonly remote?: RemoteConfig
}

export interface RemoteConfig {
  readonly role: RemoteRole
  /** The name of a configured remote, a URL, or a path. */
  readonly remote: string
  /** Milliseconds between two fetches; a mirror is not fetched from. */
  readonly interval: number
}

/** Milliseconds between two fetches. */
export const defaultInterval = 5000

export const defaults: Config = Object.freeze({
  data: 'data',
  git: 'auto',
  allowPush: false,
  gitTime: 900_000,
  patience: 5000,
  mergePace: 1,
  xmlEngine: 'libxml2-wasm',
  workers: 0,
  validationTime: 10_000,
  validationMemory: 256,
  validationDepth: 512,
})

/** What `serve` needs beside the repository. */
export interface ServerConfig {
  /** Address to listen on: the loopback address, as without tokens everybody has full rights. */
  readonly host: string
  readonly port: number
  /** Mebibytes a document may have; a request with all its parts twice as many. */
  readonly maxDocument: number
  /** Kibibytes a record may have. */
  readonly maxRecord: number
  /** Parts a request may have. */
  readonly maxParts: number
  /** Claims of an OpenID Connect issuer: the name ACL entries have, and names of groups. */
  readonly usernameClaim: string
  readonly groupsClaim: string
  /** Kibibytes the address and the headers of a request may have. */
  readonly maxHeaders: number
  /** Seconds until the headers of a request must be there. */
  readonly headersTimeout: number
  /** Seconds until a request must be there with its body. */
  readonly requestTimeout: number
  /** Connections that may be open at once. */
  readonly maxConnections: number
  /** Updates that may be under way at once. */
  readonly maxUpdates: number
  /** Seconds an update may have to wait for its turn. */
  readonly maxWait: number
  /** What one client may send, as `--rate-limit` has it, where others than this machine reach the server. */
  readonly rateLimit: string
  readonly log: (typeof logForms)[number]
  readonly logLevel: (typeof logLevels)[number]
  /** Whether anything is measured, and `/metrics` answered. */
  readonly metrics: boolean
}

/** Lines for people, JSON for programs, or nothing. */
export const logForms = ['text', 'json', 'off'] as const
/** Each level has those before it too: what failed; what whoever runs the server should know; each request. */
export const logLevels = ['error', 'warn', 'info'] as const

export const serverDefaults: ServerConfig = Object.freeze({
  host: 'localhost',
  port: 8040,
  maxDocument: 64,
  maxRecord: 1024,
  maxParts: 1000,
  usernameClaim: 'preferred_username',
  groupsClaim: 'groups',
  maxHeaders: 16,
  headersTimeout: 20,
  requestTimeout: 300,
  maxConnections: 10_000,
  maxUpdates: 1000,
  maxWait: 10,
  rateLimit: '500/s',
  log: 'text',
  logLevel: 'warn',
  metrics: true,
})
