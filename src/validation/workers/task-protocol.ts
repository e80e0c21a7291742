import type { Finding } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { References, SchemaBundle } from '../validator.js'

/** A task of a worker process. It can be cloned as a message. */
export type Task =
  | { readonly kind: 'check'; readonly bundle: SchemaBundle }
  | {
      readonly kind: 'validate'
      /** Key of the bundle. The bundle is left out if the worker has compiled it. */
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
  /** The worker does not have the bundle, which has to be sent with the task. */
  | { readonly kind: 'unknown' }

/** A message to a worker process. */
export interface Job {
  readonly tasks: readonly Task[]
  /** How often workers were stopped during the first of these tasks, because other processes had the processor. */
  readonly stops: number
}

/** A message of a worker process. */
export type WorkerReport =
  | { readonly kind: 'ready' }
  /** The worker cannot start its engine. */
  | { readonly kind: 'unusable'; readonly message: string }
  | {
      readonly kind: 'answers'
      /** Answers in the order of the tasks. There are fewer answers than tasks if the time limit stopped the worker. */
      readonly answers: readonly Answer[]
      /** Whether the first task without an answer had the processor for most of the time limit. */
      readonly isLate: boolean
      /**
       * Milliseconds of processor time for one of these answers, without the compilation of schemas; undefined if the
       * worker was not warm.
       */
      readonly timePerAnswer: number | undefined
      /** Number of schemas compiled for these answers. */
      readonly compilations: number
      /** Whether the worker must not be used again. */
      readonly isSpent: boolean
    }

/** Exit code of a worker that needs more WebAssembly memory than permitted. */
export const outOfMemory = 137

/** The settings of a worker process, which it gets as a JSON argument. */
export interface WorkerSettings {
  /** Limit in bytes of the WebAssembly memory. */
  readonly memory: number
  /** Limit of the levels of arrays and objects in a JSON document. */
  readonly depth: number
  /** Limit in milliseconds of the processor time of a task. */
  readonly timeLimit: number
  /** Added to the niceness of the process. */
  readonly niceness: number
  /** A private folder, for the engine libxmljs2. The parent removes it. */
  readonly folder?: string
}

export interface Limits {
  /** Limit in milliseconds of the processor time of a task. */
  readonly timeLimit: number
  /** Limit in mebibytes of the memory of a worker. */
  readonly memoryLimit: number
  /** Limit of the levels of arrays and objects in a JSON document. */
  readonly depthLimit: number
}

export function timeLimitAnswer(limits: Limits): Answer {
  return verdict(`Checking it took longer than ${limits.timeLimit} ms and was stopped.`)
}

export function tooBig(limits: Limits): Answer {
  return verdict(`Checking it needs more than ${limits.memoryLimit} MiB of memory and was stopped.`)
}

export function verdict(message: string): Answer {
  return { kind: 'findings', findings: [{ message }] }
}
