import type { Oid } from '../core/values.js'
import type { History } from './history.js'
import type { ObjectReader } from './objects.js'

/** An open repository in our layout. Opening checks it and changes nothing. */
export interface Repository {
  /** The data folder as given: the work tree, or the Git directory itself where it is bare. Absolute. */
  readonly dir: string
  readonly gitDir: string
  /** Our own derived files: `<gitDir>/git-metastore`. Exists. */
  readonly ownDir: string
  readonly bare: boolean
  /** Full name of the served branch: the one HEAD points at, `refs/heads/main`. */
  readonly branch: string
  /** Path of the git binary, or undefined where there is none (or none is wanted). */
  readonly git: string | undefined
  readonly objects: ObjectReader
  readonly history: History
  /** The commit the served branch points at now. @throws ProblemError `unusable-repository` where it has none */
  head(): Promise<Oid>
  close(): Promise<void>
}

export interface OpenOptions {
  /** `auto`: the git binary where one is on the PATH; `none`: isomorphic-git only; else the path of a binary. */
  readonly git?: string
}
