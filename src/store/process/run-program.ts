import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptionsWithoutStdio,
  spawn,
} from 'node:child_process'
import { constants } from 'node:os'
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
  /** As for a client, but runs only while the server needs no processor, if the system supports it. */
  readonly isInBackground?: boolean
  /** Runs in a session of its own, so that it has no terminal and its child processes end with it. */
  readonly hasOwnSession?: boolean
  /** Milliseconds without output after which it is ended. It needs a session of its own. */
  readonly maxSilence?: number
}

/** The output of a program and how it ended. */
export interface ProgramResult {
  /** Exit code; undefined if a signal ended it. */
  readonly code: number | undefined
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals | undefined
  readonly stdout: Buffer
  readonly stderr: string
  /** Whether it was ended because it printed nothing for {@link Program.maxSilence}. */
  readonly isTooSilent?: boolean
}

/**
 * Starts a program and runs it to its end.
 * @param signal ends it
 * @throws the system's error if it cannot be started
 */
export async function runHere(program: Program, signal?: AbortSignal): Promise<ProgramResult> {
  const { command, args, isForClient = false, isInBackground = false, hasOwnSession = false } = program
  const idle = isInBackground ? await idleCommand([command, ...args]) : undefined
  if (signal?.aborted) return ended
  if (idle) return await runIdle({ ...program, ...idle }, command, signal)
  const yields = isForClient || isInBackground
  const child = spawn(command, args, {
    ...optionsOf(program),
    ...((yields || hasOwnSession) && asGroupLeader),
  })
  if (signal) killOnAbort(child, signal)
  if (yields) yieldToOthers(child)
  if (program.maxSilence === undefined) return await collect(child, program.input)
  return await collectUntilSilent(child, program.maxSilence, program.input)
}

const ended: ProgramResult = { code: undefined, signal: 'SIGTERM', stdout: Buffer.of(), stderr: '' }

/** Exit code of {@link idleCommand} if it does not find the command. @see timeout(1), "EXIT STATUS" */
const notFound = 127
/** Exit code of {@link idleCommand} if SIGTERM comes before it has started the command. */
const endedBeforeStart = 128 + constants.signals.SIGTERM

/** @param program of {@link idleCommand} @param command that it runs */
async function runIdle(
  program: Program,
  command: string,
  signal: AbortSignal | undefined,
): Promise<ProgramResult> {
  const child = spawn(program.command, program.args, optionsOf(program))
  if (signal) killOnAbort(child, signal)
  const result = await collect(child, program.input)
  if (result.code === notFound) throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' })
  return signal?.aborted && result.code === endedBeforeStart ? ended : result
}

/** @param maxSilence milliseconds without output after which the process and its child processes are ended */
async function collectUntilSilent(
  child: ChildProcessWithoutNullStreams,
  maxSilence: number,
  input: Program['input'],
): Promise<ProgramResult> {
  const silent = new AbortController()
  killOnAbort(child, silent.signal)
  const silence = setTimeout(() => silent.abort(), maxSilence)
  for (const output of [child.stdout, child.stderr]) output.on('data', () => silence.refresh())
  try {
    const result = await collect(child, input)
    return { ...result, isTooSilent: silent.signal.aborted }
  } finally {
    clearTimeout(silence)
  }
}

function optionsOf({ cwd, env }: Program): SpawnOptionsWithoutStdio {
  return { env, windowsHide: true, ...(cwd !== undefined && { cwd }) }
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
