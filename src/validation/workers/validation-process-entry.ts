import { rmSync } from 'node:fs'
import { raiseNicenessOfProcess } from '../../core/scheduling/niceness.js'
import { type Libxmljs2, openLibxmljs2 } from '../xml/libxmljs2-engine.js'
import type { XmlEngine } from '../xml/xsd-engine.js'
import { openTaskExecutor } from './task-executor.js'
import { type Job, outOfMemory, type Task, type WorkerReport, type WorkerSettings } from './task-protocol.js'
import { openTimeLimit } from './time-limit.js'

/* Entry point of the worker processes. The argument is the JSON of the WorkerSettings. */

const { memory, depth, timeLimit, niceness, folder } = JSON.parse(process.argv[2] ?? '') as WorkerSettings

function send(report: WorkerReport): void {
  process.send?.(report)
}

// The parent has ended and cannot remove the folder.
process.on('disconnect', () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  process.exit()
})

async function openNative(ownFolder: string): Promise<XmlEngine> {
  // The name is in a variable, because the package is optional and its types may be missing.
  const name = 'libxmljs2'
  const loaded = (await import(name)) as { readonly default: Libxmljs2 }
  return openLibxmljs2(loaded.default, ownFolder)
}

/** The engine for XML. It is loaded with the first task about XML, because libxml2 costs 40 ms and 7 MB. */
let wasm: XmlEngine | undefined

async function loadWasm(): Promise<XmlEngine> {
  capWasmMemory(memory)
  return (await import('../xml/libxml2-wasm-engine.js')).wasmEngine
}

/** The loaded engine. A task whose schema is compiled already has no bundle, but its compilation loaded the engine. */
function loadedWasm(): XmlEngine {
  if (!wasm) throw new Error('The engine for XML is not loaded.')
  return wasm
}

function isXml(task: Task): boolean {
  return (task.kind === 'references' ? task.type : task.bundle?.type) === 'XML'
}

try {
  if (niceness > 0) raiseNicenessOfProcess(niceness)
  const native = folder === undefined ? undefined : await openNative(folder)
  const carryOut = openTaskExecutor(native ? () => native : loadedWasm, depth, openTimeLimit(timeLimit), send)
  process.on('message', async (job: Job) => {
    if (!native && job.tasks.some(isXml)) wasm ??= await loadWasm()
    carryOut(job)
  })
  send({ kind: 'ready' })
} catch (error) {
  send({ kind: 'unusable', message: error instanceof Error ? error.message : String(error) })
}

// The types of WebAssembly are part of the types of browsers only.
interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
declare const WebAssembly: { readonly Memory: { readonly prototype: Memory } }

const pageSize = 65_536

/**
 * Ends this process with the exit code {@link outOfMemory} before its WebAssembly memory exceeds `bytes`. No other
 * limit counts that memory. A refused allocation would leave the library in an untested state. To be called before the
 * WebAssembly module is loaded, because loading allocates memory.
 */
function capWasmMemory(bytes: number): void {
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function (this: Memory, pages: number): number {
    if (this.buffer.byteLength + pages * pageSize > bytes) process.exit(outOfMemory)
    return grow.call(this, pages)
  }
}
