import { execFile } from 'node:child_process'
import { constants } from 'node:os'
import { promisify } from 'node:util'
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

/*
 * Runs work in the background that uses only processor time which the other processes of this session leave. The lowest
 * priority (niceness) is not enough, for two reasons. A program that can be ended together with its children has a
 * session of its own, and where Linux groups processes by session, it gets half of the processor. And a process of low
 * priority goes on for some milliseconds when a more important process wakes up.
 *
 * Measured with two processes of git that compress packs while a server has 1,000,000 documents on 2 cores, with
 * searches and 200 creates a second: a search takes 80 ms (median). With the lowest priority instead, it takes 90 ms if
 * process and session have that priority, and 165 ms if only the process has it.
 *
 * `timeout` of coreutils makes a process group within the session. Node.js cannot: its `detached` makes a new session.
 * `chrt` of util-linux sets the policy SCHED_IDLE.
 * @see https://man7.org/linux/man-pages/man7/sched.7.html, "SCHED_IDLE" and "The autogroup feature"
 */

const command = 'timeout'
const args = ['0', 'chrt', '--idle', '0'] as const

/** Value of `policy` for SCHED_IDLE. @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const idlePolicy = '5'

interface StartedCommand {
  readonly command: string
  readonly args: readonly string[]
}

/** Limit of the trial in milliseconds. On a busy machine, the idle program of the trial has to wait. */
const maxTrialTime = 5000

let isPossible: boolean | undefined

/**
 * A command line that runs the same command, which yields to all other processes of this session. Soon after the start,
 * the process leads a process group. It exits with 127 if there is no such command.
 * @returns undefined if the system is not Linux, or does not have the programs that this needs
 */
async function idleCommand(commandLine: readonly string[]): Promise<StartedCommand | undefined> {
  isPossible ??= process.platform === 'linux' ? await tryCommand() : false
  return isPossible ? { command, args: [...args, ...commandLine] } : undefined
}

/** Tries whether a process started in this way leads its group and has the policy; undefined if that stays unknown. */
async function tryCommand(): Promise<boolean | undefined> {
  const options = { cwd: '/', timeout: maxTrialTime }
  const running = promisify(execFile)(command, [...args, 'cat', '/proc/self/stat'], options)
  try {
    const { stdout } = await running
    // The name of the program stands in parentheses and may have spaces.
    const fields = stdout.split(') ').at(-1)?.split(' ') ?? []
    return fields[2] === String(running.child.pid) && fields[38] === idlePolicy
  } catch (error) {
    // A program is missing, or the system does not allow the policy: that will stay so. Other errors may go away.
    const { code } = error as { readonly code?: unknown }
    return code === 'ENOENT' || typeof code === 'number' ? false : undefined
  }
}
