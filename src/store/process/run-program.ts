import { constants } from 'node:os'
import { idleCommand } from './idle-command.js'
import { type Program, type ProgramEnd, type StartedProgram, startHere } from './started-program.js'

/** A program with known input whose output is collected. */
export interface CollectedProgram extends Program {
  /** Standard input. */
  readonly input?: string | Uint8Array
  /** Runs like `isForClient`, but only while the server does not need the processor, if the system supports that. */
  readonly isInBackground?: boolean
  /** Milliseconds without output after which the program is ended. Such a program needs a session of its own. */
  readonly maxSilence?: number
}

/** The output of a program and how it ended. */
export interface ProgramResult extends ProgramEnd {
  readonly stdout: Buffer
  readonly stderr: string
  /** Whether the program was ended because it printed nothing for {@link CollectedProgram.maxSilence}. */
  readonly isTooSilent?: boolean
}

/**
 * Starts a program from this process and runs it to its end.
 * @param signal ends the program
 * @throws the system's error if the program cannot be started
 */
export async function runHere(program: CollectedProgram, signal?: AbortSignal): Promise<ProgramResult> {
  const { command, args, input, maxSilence, isInBackground = false } = program
  const idle = isInBackground ? await idleCommand([command, ...args]) : undefined
  if (signal?.aborted) return ended
  if (idle) return await runIdle({ ...program, ...idle }, command, signal)
  const started = await startHere(isInBackground ? { ...program, isForClient: true } : program, signal)
  return await (maxSilence === undefined
    ? collect(started, input)
    : collectUntilSilent(started, maxSilence, input))
}

const ended: ProgramResult = { code: undefined, signal: 'SIGTERM', stdout: Buffer.of(), stderr: '' }

/** Exit code of {@link idleCommand} if it does not find the command. @see timeout(1), "EXIT STATUS" */
const notFound = 127
/** Exit code of {@link idleCommand} if SIGTERM comes before it has started the command. */
const endedBeforeStart = 128 + constants.signals.SIGTERM

/**
 * Runs a command by {@link idleCommand}, and tells a missing command from one that fails.
 * @param program with the command line of {@link idleCommand}
 * @param command the command that it runs
 */
async function runIdle(
  program: CollectedProgram,
  command: string,
  signal: AbortSignal | undefined,
): Promise<ProgramResult> {
  const started = await startHere({ ...program, isForClient: false }, signal)
  const result = await collect(started, program.input)
  if (result.code === notFound) throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' })
  return signal?.aborted && result.code === endedBeforeStart ? ended : result
}

/**
 * Collects the output of a program, and ends it when it is silent for too long.
 * @param maxSilence milliseconds without output after which the program and its child processes are ended
 */
async function collectUntilSilent(
  program: StartedProgram,
  maxSilence: number,
  input: CollectedProgram['input'],
): Promise<ProgramResult> {
  let isTooSilent = false
  const silence = setTimeout(() => {
    isTooSilent = true
    program.kill()
  }, maxSilence)
  for (const output of [program.stdout, program.stderr]) output.on('data', () => silence.refresh())
  try {
    return { ...(await collect(program, input)), isTooSilent }
  } finally {
    clearTimeout(silence)
  }
}

/** Collects the output of a program until its end. @param input standard input */
async function collect(program: StartedProgram, input?: string | Uint8Array): Promise<ProgramResult> {
  const { stdin, stdout, stderr, closed } = program
  const printed: Buffer[] = []
  const complaints: Buffer[] = []
  stdout.on('data', (chunk: Buffer) => printed.push(chunk))
  stderr.on('data', (chunk: Buffer) => complaints.push(chunk))
  stdin.on('error', ignoreBrokenPipe)
  stdin.end(input)
  return {
    ...(await closed),
    stdout: Buffer.concat(printed),
    stderr: Buffer.concat(complaints).toString().trim(),
  }
}

/** Quotes an argument for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Ignores the error of a stream to a process that ended before it read all input. Its exit code tells why it ended. */
export function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET' && error.code !== 'ERR_STREAM_DESTROYED')
    throw error
}
