/** Every option with its default, from flags and environment. Frozen; handed to `compose`. */
export interface Config {
  /** The data folder. */
  readonly data: string
  /** The git binary: `auto`, `none` (isomorphic-git only) or a path. */
  readonly git: string
  readonly xmlEngine: 'libxml2-wasm' | 'libxmljs2'
  /** Validation workers; 0 means the number of cores. */
  readonly workers: number
  /** Milliseconds one validation may take. */
  readonly validationTime: number
  /** Mebibytes a validation worker may use. */
  readonly validationMemory: number
}

export const defaults: Config = Object.freeze({
  data: 'data',
  git: 'auto',
  xmlEngine: 'libxml2-wasm',
  workers: 0,
  validationTime: 10_000,
  validationMemory: 256,
})
