import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { devNull } from 'node:os'
import { crashSignals } from '../../core/crash-signals.js'
import { ProblemError } from '../../core/problem.js'
import { withinMemory } from './command-memory-limit.js'
import { gitFailure, restoreAdvice } from './git-failure.js'
import { mappingLittle } from './git-memory-estimate.js'
import { runProgram } from './launcher.js'
import { asGroupLeader, killOnAbort } from './process-group.js'
import { collect, ignoreBrokenPipe, type Program, type ProgramResult } from './run-program.js'

/**
 * The environment for git processes: without GIT_* variables, which a shell or a hook around us may have set for a
 * repository of its own, and with untranslated messages.
 */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name))
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // It would hint at each of its commands that the next line is out of fashion.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'advice.graftFileDeprecated',
    GIT_CONFIG_VALUE_0: 'false',
    // History is what was committed: neither replacements nor grafts of one clone may change versions.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: devNull,
  }
}

/** What bounds a git that works for a client. */
export interface GitBounds {
  /** Ends it, with all it has started. */
  readonly signal?: AbortSignal
  /** Bytes of memory that each of its processes may have. @see memoryOfGit */
  readonly memory?: number
}

/**
 * Starts git on one repository, named outright: never one that git finds around it.
 * @param more of the environment: where else objects lie
 */
export function spawnGit(
  git: string,
  gitDir: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
  { signal, memory }: GitBounds = {},
): ChildProcessWithoutNullStreams {
  const { command, args: all, ...options } = gitProgram(git, gitDir, args, more, memory)
  const child = spawn(command, all, { ...options, windowsHide: true, ...(signal && asGroupLeader) })
  if (signal) killOnAbort(child, signal)
  return child
}

function gitProgram(
  git: string,
  gitDir: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv,
  memory: number | undefined,
): Program {
  const settings = memory === undefined ? [] : mappingLittle
  const all = [...settings.flatMap(setting => ['-c', setting]), `--git-dir=${gitDir}`, ...args]
  const [command, ...rest] = withinMemory(memory, [git, ...all])
  return { command, args: rest, cwd: gitDir, env: { ...gitEnvironment(), ...more } }
}

/**
 * Runs git to its end.
 * @param input what it reads
 * @throws ProblemError `unavailable` where it cannot be started, or a signal ends it; `damaged` where it crashes
 */
export function runGit(
  git: string,
  gitDir: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
  { signal, memory }: GitBounds = {},
  input?: string,
): Promise<EndedGit> {
  const program = {
    ...gitProgram(git, gitDir, args, more, memory),
    isForClient: signal !== undefined,
    ...(input !== undefined && { input }),
  }
  return endedGit(runProgram(program, signal))
}

export type GitResult = ProgramResult
/** What git wrote, and its exit code. */
export type EndedGit = GitResult & { readonly code: number }

/** What git prints. @throws Error with what it says where it failed */
export function insistOn({ code, stdout, stderr }: GitResult, command: string): string {
  if (code !== 0) throw new Error(`git ${command} failed: ${stderr || `exit code ${code}`}`)
  return stdout.toString()
}

/**
 * Everything git writes, and how it ended.
 * @throws ProblemError `unavailable` where it cannot be started, or a signal ends it; `damaged` where it crashes
 */
export function collectGit(child: ChildProcessWithoutNullStreams, input?: string): Promise<EndedGit> {
  return endedGit(collect(child, input))
}

/**
 * What a git did that runs to its end.
 * @throws ProblemError `unavailable` where it cannot be started, or a signal ends it; `damaged` where it crashes
 */
export async function endedGit(running: Promise<ProgramResult>): Promise<EndedGit> {
  const { code, signal, ...said } = await running.catch((error: Error) => {
    throw error instanceof ProblemError ? error : gitUnavailable(error)
  })
  if (code === undefined) throw endedBySignal(signal)
  return { code, signal, ...said }
}

/**
 * What git writes, as it comes. It is ended where nobody reads on.
 * @param command for the error
 * @param input what it reads
 * @throws ProblemError `unavailable` where it cannot be started, or a signal ends it
 * @throws ProblemError `damaged` where it cannot read the repository, or crashes; an Error with what it says where it fails otherwise.
 *   {@link isGitFailure} knows both
 */
export async function* streamGitOutput(
  child: ChildProcessWithoutNullStreams,
  command: string,
  input?: string,
): AsyncGenerator<Buffer> {
  const closed = once(child, 'close') as Promise<[code: number | null]>
  // Awaited below; until then a failure to start must not count as unhandled.
  closed.catch(() => undefined)
  child.stdin.on('error', ignoreBrokenPipe)
  child.stdin.end(input)
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2000)
  })
  try {
    yield* child.stdout as AsyncIterable<Buffer>
    const [code] = await closed.catch((error: Error) => {
      throw gitUnavailable(error)
    })
    if (code === null) throw endedBySignal(child.signalCode)
    if (code !== 0) throw gitFailure(command, complaint.trim() || `exit code ${code}`)
  } finally {
    child.kill()
  }
}

/** For a git that a signal ended, which this process did not send: git crashes where a commit-graph or an index is damaged. */
function endedBySignal(signal: NodeJS.Signals | null | undefined): ProblemError {
  const cause = new Error(`${signal ?? 'a signal'} ended it`)
  if (!signal || !crashSignals.has(signal)) return gitUnavailable(cause)
  const message = `Git crashed (${signal}): it cannot read a file of the repository. ${restoreAdvice}`
  return new ProblemError('damaged', message, {}, { cause })
}

/** Git was there when we started, and is not now, or is ended by somebody. */
export function gitUnavailable(cause: Error): ProblemError {
  const message = `Git cannot be run (${cause.message}). Try again when it can.`
  return new ProblemError('unavailable', message, { retryAfter: 5 }, { cause })
}
