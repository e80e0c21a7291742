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
