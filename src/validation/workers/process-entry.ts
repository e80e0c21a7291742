import { rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import { type Libxmljs2, openLibxmljs2 } from '../xml/libxmljs2-engine.js'
import type { XmlEngine } from '../xml/xsd-engine.js'
import { openTaskExecutor } from './task-executor.js'
import type { Job, WorkerReport, WorkerSettings } from './task-protocol.js'
import { openTimeLimit } from './time-limit.js'
import { capWasmMemory } from './wasm-memory-limit.js'

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

async function openEngine(): Promise<XmlEngine> {
  capWasmMemory(memory)
  if (folder === undefined) return (await import('../xml/libxml2-wasm-engine.js')).wasmEngine
  // The name is in a variable, because the package is optional and its types may be missing.
  const name = 'libxmljs2'
  const loaded = (await import(name)) as { readonly default: Libxmljs2 }
  return openLibxmljs2(loaded.default, folder)
}

try {
  if (niceness > 0) setPriority(niceness)
  const carryOut = openTaskExecutor(await openEngine(), depth, openTimeLimit(timeLimit))
  process.on('message', (job: Job) => send(carryOut(job)))
  send({ kind: 'ready' })
} catch (error) {
  send({ kind: 'unusable', message: error instanceof Error ? error.message : String(error) })
}
