/** The configuration of a repository, from flags and environment. Frozen. */
export interface Config {
  /** The data folder. */
  readonly data: string
  /** The git binary: `auto`, `none` (isomorphic-git only) or a path. */
  readonly git: string
  /** Milliseconds an update waits for locks of git commands and of our other processes. */
  readonly patience: number
  /** How often packs are merged, as a multiple of the default. No flag sets it. */
  readonly mergePace: number
  readonly xmlEngine: 'libxml2-wasm' | 'libxmljs2'
  /** Validation workers; 0 means the number of cores. */
  readonly workers: number
  /** Milliseconds one validation may take. */
  readonly validationTime: number
  /** Mebibytes a validation worker may use. */
  readonly validationMemory: number
  /** Nested levels of arrays and objects that a JSON document may have. */
  readonly validationDepth: number
  /** File of the ssh key every commit is signed with. */
  readonly sign?: string
}

export const defaults: Config = Object.freeze({
  data: 'data',
  git: 'auto',
  patience: 5000,
  mergePace: 1,
  xmlEngine: 'libxml2-wasm',
  workers: 0,
  validationTime: 10_000,
  validationMemory: 256,
  validationDepth: 512,
})
