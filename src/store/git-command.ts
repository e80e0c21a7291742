import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { devNull } from 'node:os'
import { ProblemError } from '../core/problem.js'
import { mappingLittle } from './memory-of-git.js'
import { gitFailure } from './objects.js'
import { asLeader, endWith } from './process-group.js'
import { withinMemory } from './within-memory.js'

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
  const settings = memory === undefined ? [] : mappingLittle
  const all = [...settings.flatMap(setting => ['-c', setting]), `--git-dir=${gitDir}`, ...args]
  const [command, ...rest] = withinMemory(memory, [git, ...all])
  const child = spawn(command, rest, {
    cwd: gitDir,
    env: { ...gitEnvironment(), ...more },
    windowsHide: true,
    ...(signal && asLeader),
  })
  if (signal) endWith(child, signal)
  return child
}

export interface GitResult {
  /** Exit code; undefined where a signal ended it. */
  readonly code: number | undefined
  readonly stdout: Buffer
  readonly stderr: string
}

/** Runs git to its end. @throws ProblemError `unavailable` where it cannot be started, or a signal ends it */
export function runGit(
  git: string,
  gitDir: string,
  args: readonly string[],
  more?: NodeJS.ProcessEnv,
  bounds?: GitBounds,
): Promise<GitResult & { readonly code: number }> {
  return collectGit(spawnGit(git, gitDir, args, more, bounds))
}

/** What git prints. @throws Error with what it says where it failed */
export function insistOn({ code, stdout, stderr }: GitResult, command: string): string {
  if (code !== 0) throw new Error(`git ${command} failed: ${stderr || `exit code ${code}`}`)
  return stdout.toString()
}

/**
 * Everything git writes, and how it ended.
 * @throws ProblemError `unavailable` where it cannot be started, or a signal ends it
 */
export async function collectGit(
  child: ChildProcessWithoutNullStreams,
  input?: string,
): Promise<GitResult & { readonly code: number }> {
  const { code, ...said } = await collect(child, input).catch((error: Error) => {
    throw cannotRunGit(error)
  })
  if (code === undefined) throw cannotRunGit(endedBySignal())
  return { code, ...said }
}

/**
 * Git's output, as it comes. Git is ended when the reader stops reading.
 * @param command for the error
 * @param input what it reads
 * @throws ProblemError `unavailable` where it cannot be started, or a signal ends it
 * @throws ProblemError `damaged` where it cannot read the repository; an Error with what it says where it fails otherwise.
 *   {@link isGitFailure} knows both
 */
export async function* readGit(
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
      throw cannotRunGit(error)
    })
    if (code === null) throw cannotRunGit(endedBySignal())
    if (code !== 0) throw gitFailure(command, complaint.trim() || `exit code ${code}`)
  } finally {
    child.kill()
  }
}

/** The error for a git that was ended by a signal which this process did not send. */
function endedBySignal(): Error {
  return new Error('a signal ended it')
}

/**
 * Everything a process writes, and how it ended.
 * @param input what it reads
 * @throws the system's error where it cannot be started
 */
export function collect(
  child: ChildProcessWithoutNullStreams,
  input?: string | Uint8Array,
): Promise<GitResult> {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  child.stdin.on('error', ignoreBrokenPipe)
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      resolve({
        code: code ?? undefined,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString().trim(),
      })
    })
  })
}

/** A process that ends early breaks the pipe to it; its exit code says why. */
export function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET' && error.code !== 'ERR_STREAM_DESTROYED')
    throw error
}

/** Git was there at the start, and now cannot be started, or a signal ended it. */
export function cannotRunGit(cause: Error): ProblemError {
  const message = `Git cannot be run (${cause.message}). Try again when it can.`
  return new ProblemError('unavailable', message, { retryAfter: 5 }, { cause })
}
