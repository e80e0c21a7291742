import { rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Job, Report, WorkerSettings } from './protocol.js'
import { openTimeLimit } from './time-limit.js'
import { openVerdicts } from './verdicts.js'
import { capWasmMemory } from './wasm-memory.js'
import type { XmlEngine } from './xml-engine.js'
import { type Libxmljs2, openLibxmljs2 } from './xml-libxmljs2.js'

/* Entry point of the worker processes. The argument: the WorkerSettings as JSON. */

const { memory, depth, timeLimit, niceness, folder } = JSON.parse(process.argv[2] ?? '') as WorkerSettings

function send(report: Report): void {
  process.send?.(report)
}

// The parent has gone and removes nothing any more.
process.on('disconnect', () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  process.exit()
})

async function openEngine(): Promise<XmlEngine> {
  capWasmMemory(memory)
  if (folder === undefined) return (await import('./xml-wasm.js')).wasmEngine
  // A name in a variable: the package is optional, and its types are not there either.
  const name = 'libxmljs2'
  const loaded = (await import(name)) as { readonly default: Libxmljs2 }
  return openLibxmljs2(loaded.default, folder)
}

try {
  if (niceness > 0) setPriority(niceness)
  const carryOut = openVerdicts(await openEngine(), depth, openTimeLimit(timeLimit))
  process.on('message', (job: Job) => send(carryOut(job)))
  send({ kind: 'ready' })
} catch (error) {
  send({ kind: 'unusable', message: error instanceof Error ? error.message : String(error) })
}
