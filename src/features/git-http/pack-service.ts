import { type Duplex, Readable, type Writable } from 'node:stream'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import {
  gitEnvironment,
  gitUnavailable,
  mappingLittle,
  notStarted,
  withinMemory,
} from '../../store/git-commands/git-command.js'
import { startProgram } from '../../store/process/launcher.js'
import { ignoreBrokenPipe } from '../../store/process/run-program.js'
import {
  type Program,
  readComplaint,
  type StartedProgram,
  startWithChannel,
} from '../../store/process/started-program.js'

/** Git's program for fetches or pushes of a client. @see gitprotocol-http(5) */
type GitService = 'upload-pack' | 'receive-pack'

/** A client's request to a git program. */
export interface GitServiceRequest {
  readonly program: GitService
  /** Undefined: the client asks for the list of refs. */
  readonly input?: Readable
  /** Value of the header `Git-Protocol`, such as `version=2`. */
  readonly protocol?: string
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** A git program that answers a client. */
export interface GitServiceProcess {
  /**
   * Waits for the first bytes of output, so that an immediate failure is an error and not an empty answer.
   * @returns the whole output, from its first byte, as a stream with backpressure; it ends when the program has ended
   * @throws GitServiceFailed; ProblemError `unavailable` if git cannot be executed
   */
  output(): Promise<Readable>
  /** Resolves when the program has ended, also after a failure. */
  readonly ended: Promise<unknown>
  /** The other end of file descriptor 3 of `receive-pack` and its child processes. */
  readonly channel: Duplex | undefined
  /** Ends the program and its child processes. */
  end(): void
}

/** A program failed without output, usually because of an invalid request. */
export class GitServiceFailed extends Error {
  override readonly name = 'GitServiceFailed'

  /**
   * @param complaint standard error of the program
   * @param ended whether a signal from another process ended the program
   */
  constructor(
    program: GitService,
    readonly complaint: string,
    readonly ended: boolean,
  ) {
    super(`git ${program} failed: ${complaint || 'it was ended'}`)
  }
}

/** Settings and limits of a git program. */
export interface ConversationLimits {
  /** `name=value` of git-config(1), which override those of the repository. */
  readonly settings: readonly string[]
  /** Memory limit of the program and of each child process in bytes, if the system supports it. */
  readonly memory: number
}

/**
 * Starts a git program and streams its input and output.
 * @throws ProblemError `unavailable` if it cannot be started
 */
export async function startGitService(
  git: string,
  gitDir: string,
  talk: GitServiceRequest,
  limits: ConversationLimits,
): Promise<GitServiceProcess> {
  const { kill, channel, ...started } = await start(git, gitDir, talk, limits).catch(notStarted)
  const { stdin, stdout, stderr, closed } = started
  let isEnded = false
  const end = () => {
    isEnded = true
    kill()
    channel?.destroy()
  }
  talk.signal.addEventListener('abort', end)
  const ended = started.exited.finally(() => talk.signal.removeEventListener('abort', end))
  // Prevents an unhandled rejection; `output` reports the error.
  ended.catch(() => undefined)
  if (talk.signal.aborted) end()
  const complaint = readComplaint(stderr)
  channel?.on('error', ignoreBrokenPipe)
  passOn(talk.input, stdin, end)

  return {
    async output() {
      const chunks = stdout[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
      const first = await chunks.next()
      if (first.done) {
        const { code } = await closed
        if (cannotExecute.includes(code ?? 0)) throw gitUnavailable(new Error(complaint()))
        if (code !== 0) throw new GitServiceFailed(talk.program, complaint(), code === undefined && !isEnded)
      }
      async function* said(): AsyncGenerator<Buffer> {
        if (!talk.input) yield announcement(talk)
        if (!first.done) yield first.value
        yield* chunks
        await ended
      }
      const output = Readable.from(said(), { objectMode: false })
      // A client may leave before the first byte is read.
      return output.once('close', () => stdout.destroy())
    },
    ended,
    channel,
    end,
  }
}

/** The lines that HTTP adds before the list of refs; empty in version 2 of the protocol. */
function announcement({ program, protocol }: GitServiceRequest): Buffer {
  // Version 2 has no push: `receive-pack` answers in an older version.
  const second = program === 'upload-pack' && protocol?.split(':').includes('version=2')
  return Buffer.from(second ? '' : `${packetLine(`# service=git-${program}\n`)}0000`)
}

/** @see gitprotocol-common(5), "pkt-line Format" */
function packetLine(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text
}

async function start(
  git: string,
  gitDir: string,
  { program, input, protocol }: GitServiceRequest,
  { settings, memory }: ConversationLimits,
): Promise<StartedProgram & { readonly channel?: Duplex }> {
  const args = [
    ...[...mappingLittle, ...settings].flatMap(setting => ['-c', setting]),
    program,
    '--stateless-rpc',
  ]
  if (!input) args.push('--advertise-refs')
  const env = { ...gitEnvironment(), ...(protocol === undefined ? {} : { GIT_PROTOCOL: protocol }) }
  const [command, ...rest] = withinMemory(memory, [git, ...args, gitDir])
  const started: Program = { command, args: rest, cwd: gitDir, env, hasOwnSession: true }
  // A push blocks all updates, so only a fetch runs with low priority.
  if (program === 'upload-pack') return await startProgram({ ...started, isForClient: true })
  // This process starts it, not the launcher. A start blocks the event loop, so there is one start in each iteration.
  await openEventLoopPauses().now()
  return await startWithChannel(started)
}

/** Exit codes of a shell that could not execute the program. @see sh(1), "Exit Status" */
const cannotExecute: readonly number[] = [126, 127]

/** Pipes the client's input to the program. Discards the rest if the program ends early. */
function passOn(input: Readable | undefined, stdin: Writable, end: () => void): void {
  stdin.on('error', ignoreBrokenPipe)
  stdin.on('close', () => {
    input?.unpipe(stdin)
    input?.resume()
  })
  if (!input) {
    stdin.end()
    return
  }
  // The program has ended already.
  if (stdin.destroyed) {
    input.resume()
    return
  }
  // A truncated or malformed input must not look like a complete one.
  if (input.errored) end()
  input.on('error', end)
  input.pipe(stdin)
}
