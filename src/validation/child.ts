import { rmSync } from 'node:fs'
import type { Answer, Task } from './protocol.js'
import { openVerdicts } from './verdicts.js'
import { type Libxmljs2, openLibxmljs2 } from './xml-libxmljs2.js'

/*
 * Entry point of the child processes of the engine libxmljs2: it can be loaded in one thread of a process only, and
 * takes the process down when it fails. The parent gives a private folder and removes it.
 */

const [folder = ''] = process.argv.slice(2)

/** What a child says first. */
export type Greeting = { readonly kind: 'ready' } | { readonly kind: 'unusable'; readonly message: string }

function send(message: Answer | Greeting): void {
  process.send?.(message)
}

// The parent is gone, and nobody else would clear up.
process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true })
  process.exit()
})

// A name in a variable: the package is optional, and its types are not there either.
const name = 'libxmljs2'
try {
  const loaded = (await import(name)) as { readonly default: Libxmljs2 }
  const carryOut = openVerdicts(openLibxmljs2(loaded.default, folder))
  process.on('message', (task: Task) => send(carryOut(task)))
  send({ kind: 'ready' })
} catch (error) {
  send({ kind: 'unusable', message: error instanceof Error ? error.message : String(error) })
}
