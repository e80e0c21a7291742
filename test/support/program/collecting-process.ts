import { type ChildProcess, fork } from 'node:child_process'

/*
 * Runs programs from a small process of its own. A start copies the page tables of the parent: from the process of the
 * tests, with its 200 MB, git would take several times the processor time.
 */

export interface CollectedProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard input; undefined: there is none. */
  readonly input: string | Uint8Array | undefined
}

export interface CollectedOutput {
  /** Null if a signal ended the program. */
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/** Message to the process. */
export interface CollectedStart extends CollectedProgram {
  readonly id: number
}

/** Message from the process. */
export interface CollectedEnd {
  readonly id: number
  readonly output?: CollectedOutput
  /** The error of the system. */
  readonly error?: { readonly message: string; readonly code: string | undefined }
}

interface Waiting {
  resolve(output: CollectedOutput): void
  reject(error: Error): void
}

const waiting = new Map<number, Waiting>()
let made = 0
let current: ChildProcess | undefined

/** Runs a program to its end. @throws the error of the system if it cannot be started */
export function collectOutput(program: CollectedProgram): Promise<CollectedOutput> {
  current ??= open()
  const child = current
  const id = ++made
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    child.channel?.ref()
    child.send({ ...program, id } satisfies CollectedStart)
  })
}

function open(): ChildProcess {
  const script = new URL('./collecting-process-entry.js', import.meta.url)
  const child = fork(script, {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.unref()
  child.on('message', (end: CollectedEnd) => {
    const pending = waiting.get(end.id)
    waiting.delete(end.id)
    if (waiting.size === 0) child.channel?.unref()
    if (end.output) pending?.resolve(end.output)
    else pending?.reject(Object.assign(new Error(end.error?.message), { code: end.error?.code }))
  })
  child.once('exit', () => {
    current = undefined
    const error = new Error('The process that runs programs for the tests has ended.')
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  })
  return child
}
