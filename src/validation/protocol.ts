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

/** Tasks for one worker, and where both sides see how far it is. */
export interface Job {
  readonly tasks: readonly Task[]
  readonly progress: Progress
}

/**
 * Shared memory of three cells: when the running task began, in milliseconds since 1970 (0: none did yet), its place
 * among the tasks, and the place of the first task that is not to be begun.
 */
export type Progress = BigInt64Array
const [beganCell, placeCell, limitCell] = [0, 1, 2]

export function newProgress(tasks: number): Progress {
  const progress = new BigInt64Array(new SharedArrayBuffer(3 * BigInt64Array.BYTES_PER_ELEMENT))
  Atomics.store(progress, limitCell, BigInt(tasks))
  return progress
}

export function beganAt(progress: Progress): number {
  return Number(Atomics.load(progress, beganCell))
}

export function placeOf(progress: Progress): number {
  return Number(Atomics.load(progress, placeCell))
}

/** Takes back the tasks after the running one. @returns the place of the first of them */
export function takeBack(progress: Progress): number {
  const first = placeOf(progress) + 1
  Atomics.store(progress, limitCell, BigInt(first))
  return first
}

/** Exit code of a worker that would have needed more WebAssembly memory than it may use. */
export const outOfMemory = 137

/** @returns false where the task is not to be begun any more */
export function begin(progress: Progress, place: number): boolean {
  if (BigInt(place) >= Atomics.load(progress, limitCell)) return false
  Atomics.store(progress, placeCell, BigInt(place))
  Atomics.store(progress, beganCell, BigInt(Date.now()))
  return true
}
