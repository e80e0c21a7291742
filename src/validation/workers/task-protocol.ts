import type { Finding } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { References, SchemaBundle } from '../validator.js'

/** What is asked of a worker process. Everything in it survives a structured clone. */
export type Task =
  | { readonly kind: 'check'; readonly bundle: SchemaBundle }
  | {
      readonly kind: 'validate'
      /** Key of the bundle, which is left out where the worker has compiled it already. */
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

export type Answer =
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] }
  | { readonly kind: 'references'; readonly references: References }
  /** The worker no longer has the bundle of this key. The task has to come with it. */
  | { readonly kind: 'unknown' }

/** What a worker process is given. */
export interface Job {
  readonly tasks: readonly Task[]
  /** The worker was stopped with it before, without having had the processor. */
  readonly isRepeated: boolean
}

/** What a worker process says. */
export type Report =
  | { readonly kind: 'ready' }
  /** It cannot work at all. */
  | { readonly kind: 'unusable'; readonly message: string }
  | {
      readonly kind: 'answers'
      /** In the order of the tasks. Fewer than tasks where the time limit stopped the worker. */
      readonly answers: readonly Answer[]
      /** The first task without an answer has had the processor for the whole time limit. */
      readonly isLate: boolean
      /** Schemas compiled for these answers. */
      readonly compilations: number
      /** The worker must not be used again. */
      readonly isSpent: boolean
    }

/** Exit code of a worker that would have needed more WebAssembly memory than it may use. */
export const outOfMemory = 137

/** What a worker process is started with, as one JSON argument. */
export interface WorkerSettings {
  /** Bytes of WebAssembly memory. */
  readonly memory: number
  /** Levels a JSON document may have. */
  readonly depth: number
  /** Milliseconds of processor time one task may take. */
  readonly timeLimit: number
  /** Added to the niceness of the process. */
  readonly niceness: number
  /** A private folder, for the engine libxmljs2. The parent removes it. */
  readonly folder?: string
}
