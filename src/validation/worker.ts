import { workerData } from 'piscina'
import { type Answer, begin, type Job } from './protocol.js'
import { openVerdicts } from './verdicts.js'
import { capWasmMemory } from './wasm-memory.js'

/** What the pool tells its workers at their start. */
export interface WorkerSettings {
  /** Bytes of WebAssembly memory. */
  readonly memory: number
  /** Levels a JSON document may have. */
  readonly depth: number
}

const { memory, depth } = workerData as WorkerSettings
capWasmMemory(memory)

// Loaded after the cap is in place, for it is read when the module allocates its first memory.
const { wasmEngine } = await import('./xml-wasm.js')
const carryOut = openVerdicts(wasmEngine, depth)

/** Entry point of the pool. @returns answers to the tasks that were begun, in their order */
export function work({ tasks, progress }: Job): readonly Answer[] {
  const answers: Answer[] = []
  for (const [place, task] of tasks.entries()) {
    if (!begin(progress, place)) break
    answers.push(carryOut(task))
  }
  return answers
}
