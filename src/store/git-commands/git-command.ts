import { readdir, stat } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { crashSignals } from '../../core/child-processes.js'
import { ProblemError } from '../../core/problem.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { runProgram, startProgram } from '../process/launcher.js'
import { ignoreBrokenPipe, type ProgramResult } from '../process/run-program.js'
import { type Program, readComplaint, type StartedProgram } from '../process/started-program.js'
import { packFolder } from './git-directory.js'
import { gitFailure, isGitFailure, restoreAdvice } from './git-failure.js'

/**
 * The environment for git processes: untranslated messages, and no inherited GIT_* variables, which a shell or hook may
 * have set for another repository.
 */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name))
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // Without this, each command would print a hint that grafts are deprecated, because of GIT_GRAFT_FILE.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'advice.graftFileDeprecated',
    GIT_CONFIG_VALUE_0: 'false',
    // Replacements and grafts of one clone must not change versions.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: devNull,
  }
}

/** Limits of a git process that works for a client or in the background. */
export interface GitBounds {
  /** Ends the git process and its children. */
  readonly signal?: AbortSignal
  /** Memory limit of each process in bytes. @see memoryOfGit */
  readonly memory?: number
  /** Whether git runs only while the server does not need the processor, if the system supports that. */
  readonly isInBackground?: boolean
}

export interface GitOptions {
  /** Additional environment variables, such as further object folders. */
  readonly environment?: NodeJS.ProcessEnv | undefined
  readonly bounds?: GitBounds | undefined
}

/**
 * Starts git on the given repository. Git does not search for another repository.
 * @throws ProblemError `unavailable` if it cannot be started
 */
export async function startGit(
  git: string,
  gitDir: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<StartedProgram> {
  const signal = options.bounds?.signal
  const program = gitProgram(git, gitDir, args, options)
  return await startProgram({ ...program, hasOwnSession: signal !== undefined }, signal).catch(notStarted)
}

function gitProgram(
  git: string,
  gitDir: string,
  args: readonly string[],
  { environment, bounds: { memory } = {} }: GitOptions,
): Program {
  const settings = memory === undefined ? [] : mappingLittle
  const all = [...settings.flatMap(setting => ['-c', setting]), `--git-dir=${gitDir}`, ...args]
  const [command, ...rest] = withinMemory(memory, [git, ...all])
  return { command, args: rest, cwd: gitDir, env: { ...gitEnvironment(), ...environment } }
}

/**
 * Runs git to its end and collects its output. A failure of git (an exit code other than 0) is returned, not thrown:
 * see {@link outputOf}. Does not start git if `bounds.signal` is aborted already: a short command could do its work and
 * end before the signal kills it.
 * @throws ProblemError `damaged` if a {@link crashSignals crash} ended git, `unavailable` if another signal did or
 *   it cannot be started
 */
export async function runGit(
  git: string,
  gitDir: string,
  args: readonly string[],
  { input, ...options }: GitOptions & { readonly input?: string | undefined } = {},
): Promise<GitResult> {
  const signal = options.bounds?.signal
  if (signal?.aborted) throw endedBySignal('SIGTERM')
  const program = {
    ...gitProgram(git, gitDir, args, options),
    isForClient: signal !== undefined,
    isInBackground: options.bounds?.isInBackground ?? false,
    ...(input !== undefined && { input }),
  }
  return await endedGit(runProgram(program, signal))
}

/** The output of git and its exit code. */
export type GitResult = ProgramResult & { readonly code: number }

/** Standard output of a successful git. @throws the error of {@link gitFailure} if it failed */
export function outputOf({ code, stdout, stderr }: GitResult, command: string): Buffer {
  if (code !== 0) throw gitFailure(command, stderr || `exit code ${code}`)
  return stdout
}

/** The lines of git's output, without empty lines. @param separator a NUL character with git's option `-z` */
export function linesOf(output: Buffer, separator = '\n'): readonly string[] {
  return output
    .toString()
    .split(separator)
    .filter(line => line !== '')
}

/**
 * Awaits a git process and translates its failures, but not an exit code other than 0.
 * @throws ProblemError as {@link runGit}
 */
export async function endedGit(running: Promise<ProgramResult>): Promise<GitResult> {
  const { code, signal, ...said } = await running.catch(notStarted)
  if (code === undefined) throw endedBySignal(signal)
  return { code, signal, ...said }
}

/**
 * Streams the standard output of git. Ends git when the consumer stops reading.
 * @param command for the error message
 * @param input standard input
 * @throws ProblemError `unavailable` if a signal ends git
 * @throws ProblemError `damaged` if git cannot read the repository or crashes
 * @throws Error with git's standard error after another failure; {@link isGitFailure} recognizes failures of both kinds
 */
export async function* streamGitOutput(
  program: StartedProgram,
  command: string,
  input?: string,
): AsyncGenerator<Buffer> {
  program.stdin.on('error', ignoreBrokenPipe)
  program.stdin.end(input)
  const complaint = readComplaint(program.stderr)
  try {
    yield* program.stdout as AsyncIterable<Buffer>
    const { code, signal } = await program.closed
    if (code === undefined) throw endedBySignal(signal)
    if (code !== 0) throw gitFailure(command, complaint() || `exit code ${code}`)
  } finally {
    program.kill()
  }
}

/** The error for a git process that a signal has ended. If a commit-graph or an index is damaged, git crashes. */
function endedBySignal(signal: NodeJS.Signals | undefined): ProblemError {
  const cause = new Error(`${signal ?? 'a signal'} ended it`)
  if (!signal || !crashSignals.has(signal)) return gitUnavailable(cause)
  const message = `Git crashed (${signal}): it cannot read a file of the repository. ${restoreAdvice}`
  return new ProblemError('damaged', message, {}, { cause })
}

/** The error for a git that cannot be started, or that another process has ended. */
export function gitUnavailable(cause: Error): ProblemError {
  const message = `Git cannot be run (${cause.message}). Try again when it can.`
  return new ProblemError('unavailable', message, { retryAfter: 5 }, { cause })
}

/** Throws the error for a program that could not be started, or whose launcher has ended. */
export function notStarted(error: Error): never {
  throw error instanceof ProblemError ? error : gitUnavailable(error)
}

/**
 * Settings for a git with limited memory: it maps packs in small windows, because a whole pack may exceed the limit.
 */
export const mappingLittle: readonly string[] = ['core.packedGitWindowSize=16m', 'core.packedGitLimit=128m']

/**
 * Bytes of git's memory for each byte of a pack index. An index has 28 to 40 bytes for each object. Git needs about 400
 * bytes for each object: for the mapped index, a table of objects, and a list of what is packed.
 */
const forIndexes = 16

/**
 * Memory limit in bytes for a git that reads the whole repository. It grows with the size of the pack indexes, and so
 * with the number of packed objects.
 * @param base limit in bytes for a repository without packs
 */
export async function memoryOfGit(gitDir: string, base: number): Promise<number> {
  const folder = packFolder(gitDir)
  const files = (await undefinedIfMissingAsync(readdir(folder))) ?? []
  const indexes = files.filter(name => name.endsWith('.idx'))
  // An index may disappear, because another process may be repacking.
  const sizes = await Promise.all(
    indexes.map(async name => (await undefinedIfMissingAsync(stat(join(folder, name))))?.size ?? 0),
  )
  return base + forIndexes * sizes.reduce((sum, size) => sum + size, 0)
}

type CommandLine = readonly [command: string, ...args: string[]]

/**
 * A command line that limits the memory of the command and of each process that the command starts. A system without
 * this limit ignores it.
 * @param memory bytes; undefined: no limit
 * @see sh(1), `ulimit`; setrlimit(2): a limit that the system does not know has no effect
 */
export function withinMemory(memory: number | undefined, command: CommandLine): CommandLine {
  if (memory === undefined || process.platform === 'win32') return command
  const script = 'ulimit -v "$1" 2>/dev/null; shift; exec "$@"'
  return ['/bin/sh', '-c', script, 'sh', String(Math.ceil(memory / 1024)), ...command]
}
