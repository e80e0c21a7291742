import { workerData } from 'piscina'
import { type Answer, begin, type Job, outOfMemory } from './protocol.js'
import { openVerdicts } from './verdicts.js'

/** What the pool tells its workers at their start. */
export interface WorkerSettings {
  /** Bytes of WebAssembly memory. */
  readonly memory: number
}

// The types of WebAssembly come with those of browsers only.
interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
declare const WebAssembly: { readonly Memory: { readonly prototype: Memory } }

const pageSize = 65_536
const { memory } = workerData as WorkerSettings
const grow = WebAssembly.Memory.prototype.grow

// The limits of a worker thread do not count WebAssembly memory. A refused allocation would leave the library in a
// state nobody has tested, so the worker ends at once and its caller is told why.
WebAssembly.Memory.prototype.grow = function (this: Memory, pages: number): number {
  if (this.buffer.byteLength + pages * pageSize > memory) process.exit(outOfMemory)
  return grow.call(this, pages)
}

// Loaded after the cap is in place, for it is read when the module allocates its first memory.
const { wasmEngine } = await import('./xml-wasm.js')
const carryOut = openVerdicts(wasmEngine)

/** Entry point of the pool. @returns answers to the tasks that were begun, in their order */
export function work({ tasks, progress }: Job): readonly Answer[] {
  const answers: Answer[] = []
  for (const [place, task] of tasks.entries()) {
    if (!begin(progress, place)) break
    answers.push(carryOut(task))
  }
  return answers
}
