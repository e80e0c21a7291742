import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { idleCommand } from './idle-command.js'
import { asGroupLeader, killOnAbort, yieldToOthers } from './process-group.js'

/** A program with known input whose output is collected. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env: NodeJS.ProcessEnv
  /** Standard input. */
  readonly input?: string | Uint8Array
  /** Runs with a low priority, as leader of a process group that can be ended together. */
  readonly isForClient?: boolean
  /** As for a client, but runs only while the processor has nothing else to do, if the system supports it. */
  readonly isInBackground?: boolean
}

/** The output of a program and how it ended. */
export interface ProgramResult {
  /** Exit code; undefined if a signal ended it. */
  readonly code: number | undefined
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals | undefined
  readonly stdout: Buffer
  readonly stderr: string
}

/**
 * Starts a program and runs it to its end.
 * @param signal ends it
 * @throws the system's error if it cannot be started
 */
export async function runHere(
  { command, args, input, isForClient = false, isInBackground = false, ...options }: Program,
  signal?: AbortSignal,
): Promise<ProgramResult> {
  const common = { ...options, windowsHide: true }
  const idle = isInBackground ? await idleCommand([command, ...args]) : undefined
  const child = idle
    ? spawn(idle.command, idle.args, common)
    : spawn(command, args, { ...common, ...(isForClient && asGroupLeader) })
  if (signal) killOnAbort(child, signal)
  if (isForClient && !idle) yieldToOthers(child)
  return await collect(child, input)
}

/**
 * Collects the output of a process until its end.
 * @param input standard input
 * @throws the system's error if it cannot be started
 */
export function collect(
  child: ChildProcessWithoutNullStreams,
  input?: string | Uint8Array,
): Promise<ProgramResult> {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  child.stdin.on('error', ignoreBrokenPipe)
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      resolve({
        code: code ?? undefined,
        signal: signal ?? undefined,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString().trim(),
      })
    })
  })
}

/** Quotes an argument for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Ignores that a process ended before it read all input; its exit code tells why. */
export function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET' && error.code !== 'ERR_STREAM_DESTROYED')
    throw error
}

/** Whether a child process has ended, or was never started. */
export function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}
