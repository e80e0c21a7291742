import type { Finding } from '../core/problem.js'
import type { DocumentType } from '../core/values.js'
import type { References, SchemaBundle } from './validator.js'

/** What is asked of a worker. Everything in it survives a structured clone. */
export type Task =
  | { readonly kind: 'check'; readonly bundle: SchemaBundle }
  | {
      readonly kind: 'validate'
      /** Key of the bundle, which is sent along only where the worker may not know it. */
      readonly key: string
      readonly bundle: SchemaBundle | undefined
      readonly document: Uint8Array
    }
  | {
      readonly kind: 'references'
      readonly type: DocumentType
      readonly document: Uint8Array
      readonly files: ReadonlyMap<string, Uint8Array>
    }

export type Answer = (
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] }
  | { readonly kind: 'references'; readonly references: References }
  /** The bundle of this key is not known (any more): ask again with it. */
  | { readonly kind: 'unknown' }
  /** The worker cannot work at all. */
  | { readonly kind: 'unusable'; readonly message: string }
) & {
  /** Schemas compiled for this answer. */
  readonly compilations: number
}

/** A task with the cell in which the worker notes when it began, in milliseconds since 1970. */
export interface Job {
  readonly task: Task
  readonly began: BigInt64Array
}

/** Exit code of a worker that would have needed more WebAssembly memory than it may use. */
export const outOfMemory = 137

export function begin(job: Job): void {
  Atomics.store(job.began, 0, BigInt(Date.now()))
}
