import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type StdioOptions,
  spawn,
} from 'node:child_process'
import { once } from 'node:events'
import type { Duplex, Readable, Writable } from 'node:stream'
import { asGroupLeader, killOnAbort, yieldToOthers } from './process-group.js'

/** A program and how it runs. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env: NodeJS.ProcessEnv
  /** Runs with a low priority, as leader of a process group, whose processes can be ended together. */
  readonly isForClient?: boolean
  /** Runs in a session of its own, so that it has no terminal and its child processes end with it. */
  readonly hasOwnSession?: boolean
}

/** How a program ended. */
export interface ProgramEnd {
  /** Exit code; undefined if a signal ended the program. */
  readonly code: number | undefined
  /** The signal that ended the program; undefined if it exited. */
  readonly signal: NodeJS.Signals | undefined
}

/** A program that was started, and its streams. */
export interface StartedProgram {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the program has ended. @throws ProblemError `unavailable` if the launcher has ended */
  readonly exited: Promise<ProgramEnd>
  /** Resolves when the program has ended and both outputs were read to their end. @throws as `exited` */
  readonly closed: Promise<ProgramEnd>
  /** Ends the program, and its child processes if it has a session of its own. */
  kill(): void
}

/**
 * Starts a program from this process.
 * @param signal ends the program
 * @throws the system's error if the program cannot be started
 */
export async function startHere(program: Program, signal?: AbortSignal): Promise<StartedProgram> {
  return await started(spawnProgram(program), signal)
}

/**
 * As {@link startHere}, with one more stream: file descriptor 3 of the program and of its child processes.
 * @throws as {@link startHere}
 */
export async function startWithChannel(
  program: Program,
  signal?: AbortSignal,
): Promise<StartedProgram & { readonly channel: Duplex }> {
  const child = spawnProgram(program, ['pipe', 'pipe', 'pipe', 'pipe'])
  return { ...(await started(child, signal)), channel: child.stdio[3] as Duplex }
}

/** Starts a program. @param stdio its standard streams; default: a new pipe for each */
export function spawnProgram(program: Program, stdio: StdioOptions = 'pipe'): ChildProcess {
  const { command, args, cwd, env, isForClient = false, hasOwnSession = false } = program
  const child = spawn(command, args, {
    env,
    stdio,
    windowsHide: true,
    ...(cwd !== undefined && { cwd }),
    ...((isForClient || hasOwnSession) && asGroupLeader),
  })
  if (isForClient) yieldToOthers(child)
  return child
}

/** Waits until the process has started. @throws the system's error if the process did not start */
async function started(child: ChildProcess, signal: AbortSignal | undefined): Promise<StartedProgram> {
  const ending = new AbortController()
  const kill = () => ending.abort()
  const exited = endOf(child, 'exit')
  const closed = endOf(child, 'close')
  killOnAbort(child, ending.signal, closed)
  signal?.addEventListener('abort', kill)
  child.once('close', () => signal?.removeEventListener('abort', kill))
  await once(child, 'spawn')
  if (signal?.aborted) kill()
  const { stdin, stdout, stderr } = child as ChildProcessWithoutNullStreams
  return { stdin, stdout, stderr, exited, closed, kill }
}

/** Reads a standard error to its end. @returns a function that gives the last 2,000 characters so far, trimmed */
export function readComplaint(stderr: Readable): () => string {
  let complaint = ''
  stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2000)
  })
  return () => complaint.trim()
}

/** Waits for an event of a process that tells how it ended. */
export function endOf(child: ChildProcess, event: 'exit' | 'close'): Promise<ProgramEnd> {
  return new Promise(resolve => {
    child.once(event, (code: number | null, signal: NodeJS.Signals | null) => {
      resolve({ code: code ?? undefined, signal: signal ?? undefined })
    })
  })
}
