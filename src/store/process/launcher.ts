import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ProblemError } from '../../core/problem.js'
import { type Program, type ProgramResult, runHere } from './run-program.js'

/*
 * Starts programs from a small helper process. Starting a program copies the page tables of the parent process, and
 * this blocks the event loop of a large Node.js process for too long.
 *
 * Fast path: a start blocks for 70 ms with 500 MiB otherwise. Plain path: `runHere`.
 * @see docs/decisions/011-fast-paths.md
 */

/** Message to the launcher: run a program, or end it. */
export type Order = { readonly id: number } & ({ readonly program: Program } | { readonly end: true })

/** Message from the launcher. */
export type Report = { readonly id: number } & (
  | { readonly result: ProgramResult }
  | { readonly error: { readonly message: string; readonly code: unknown } }
)

interface Awaited {
  resolve(result: ProgramResult): void
  reject(error: Error): void
}

interface Launcher {
  readonly child: ChildProcess
  readonly awaited: Map<number, Awaited>
}

const script = fileURLToPath(new URL('./launcher-process-entry.js', import.meta.url))

let isWanted = false
let current: Launcher | undefined
let made = 0

/** Uses a launcher process for programs from now on. The first program starts it. */
export function useLauncher(): void {
  isWanted = true
}

/** Ends the launcher; this process starts programs itself again. */
export function leaveLauncher(): void {
  isWanted = false
  current?.child.disconnect()
  current = undefined
}

/**
 * Runs a program to its end.
 * @param signal ends it
 * @throws the system's error if it cannot be started
 * @throws ProblemError `unavailable` if the launcher ended
 */
export function runProgram(program: Program, signal?: AbortSignal): Promise<ProgramResult> {
  return isWanted ? runThere(program, signal) : runHere(program, signal)
}

async function runThere(program: Program, signal: AbortSignal | undefined): Promise<ProgramResult> {
  current ??= start()
  const { child, awaited } = current
  const id = ++made
  const send = (order: Order) => {
    // A failed send is ignored: the end of the launcher rejects the promise.
    if (child.connected) child.send(order, () => undefined)
  }
  const end = () => send({ id, end: true })
  try {
    return await new Promise<ProgramResult>((resolve, reject) => {
      awaited.set(id, { resolve, reject })
      hold(child, true)
      send({ id, program })
      signal?.addEventListener('abort', end)
      if (signal?.aborted) end()
    })
  } finally {
    signal?.removeEventListener('abort', end)
    awaited.delete(id)
    if (awaited.size === 0) hold(child, false)
  }
}

/** Sets whether the launcher keeps this process alive. */
function hold({ channel }: ChildProcess, stays: boolean): void {
  if (stays) channel?.ref()
  else channel?.unref()
}

function start(): Launcher {
  const child = fork(script, [], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.unref()
  const launcher: Launcher = { child, awaited: new Map() }
  child.on('message', (report: Report) => {
    const asked = launcher.awaited.get(report.id)
    if ('result' in report) asked?.resolve(resultOf(report.result))
    else asked?.reject(Object.assign(new Error(report.error.message), { code: report.error.code }))
  })
  const ended = (cause?: Error) => {
    if (current === launcher) current = undefined
    for (const asked of launcher.awaited.values()) asked.reject(launcherEnded(cause))
  }
  child.on('error', ended)
  child.on('exit', () => ended())
  return launcher
}

/** Structured cloning turns a `Buffer` into a `Uint8Array`. */
function resultOf({ stdout, ...others }: ProgramResult): ProgramResult {
  return { ...others, stdout: Buffer.from(stdout.buffer, stdout.byteOffset, stdout.byteLength) }
}

function launcherEnded(cause: Error | undefined): ProblemError {
  const message = 'The process that starts other programs has ended. Try again in a moment.'
  return new ProblemError('unavailable', message, { retryAfter: 2 }, cause && { cause })
}
