import { rmSync } from 'node:fs'
import type { Answer, Task } from './protocol.js'
import { openVerdicts } from './verdicts.js'
import { capWasmMemory } from './wasm-memory.js'
import type { XmlEngine } from './xml-engine.js'
import { type Libxmljs2, openLibxmljs2 } from './xml-libxmljs2.js'

/*
 * Entry point of the child processes. Arguments: the bytes of WebAssembly memory it may use, the levels a JSON
 * document may have, and where it is to work with the engine libxmljs2 a private folder, which the parent removes.
 */

const [memory = '', depth = '', folder] = process.argv.slice(2)

/** What a child says first. */
export type Greeting = { readonly kind: 'ready' } | { readonly kind: 'unusable'; readonly message: string }

function send(message: Answer | Greeting): void {
  process.send?.(message)
}

// The parent is gone, and nobody else would clear up.
process.on('disconnect', () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  process.exit()
})

async function openEngine(): Promise<XmlEngine> {
  capWasmMemory(Number(memory))
  if (folder === undefined) return (await import('./xml-wasm.js')).wasmEngine
  // A name in a variable: the package is optional, and its types are not there either.
  const name = 'libxmljs2'
  const loaded = (await import(name)) as { readonly default: Libxmljs2 }
  return openLibxmljs2(loaded.default, folder)
}

try {
  const carryOut = openVerdicts(await openEngine(), Number(depth))
  process.on('message', (task: Task) => send(carryOut(task)))
  send({ kind: 'ready' })
} catch (error) {
  send({ kind: 'unusable', message: error instanceof Error ? error.message : String(error) })
}
