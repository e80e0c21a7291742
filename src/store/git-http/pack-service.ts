import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Duplex, Readable, type Writable } from 'node:stream'
import { withinMemory } from '../process/command-memory-limit.js'
import { gitEnvironment, gitUnavailable } from '../process/git-command.js'
import { mappingLittle } from '../process/git-memory-estimate.js'
import { asGroupLeader, killOnAbort, yieldToOthers } from '../process/process-group.js'
import { ignoreBrokenPipe } from '../process/run-program.js'

/** Git's own program that answers a client: the one it fetches from, the one it pushes to. @see gitprotocol-http(5) */
export type GitService = 'upload-pack' | 'receive-pack'

/** What a client says to a program of git's. */
export interface GitServiceRequest {
  readonly program: GitService
  /** Undefined: the client asks what there is. */
  readonly input?: Readable
  /** What its `Git-Protocol` says, such as `version=2`. */
  readonly protocol?: string
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** A program of git's that is answering a client. */
export interface GitServiceProcess {
  /**
   * Waits for the program's first bytes, so that one that fails at once is an error and no empty answer.
   * @returns its whole output, as a stream with backpressure; ends when the program has ended
   * @throws GitServiceFailed; ProblemError `unavailable` where git cannot be started
   */
  output(): Promise<Readable>
  /** Resolves when the program has ended, however. */
  readonly ended: Promise<unknown>
  /** The other end of descriptor 3 of the program and of all it starts. */
  readonly channel: Duplex
  /** Ends the program and what it has started, whatever they are at. */
  end(): void
}

/** A program that failed before it said anything: it could make nothing of what it was told. */
export class GitServiceFailed extends Error {
  override readonly name = 'GitServiceFailed'

  /**
   * @param complaint what it wrote to standard error
   * @param ended a signal that we did not send ended it
   */
  constructor(
    program: GitService,
    readonly complaint: string,
    readonly ended: boolean,
  ) {
    super(`git ${program} failed: ${complaint || 'it was ended'}`)
  }
}

/** How a program of git's works. */
export interface ConversationLimits {
  /** `name=value` of git-config(1), over those of the repository. */
  readonly settings: readonly string[]
  /** Bytes that the program, and each one it starts, may have, where the system holds them to it. */
  readonly memory: number
}

/** Starts a program. Nothing is collected: input and output are passed on as they come. */
export function startGitService(
  git: string,
  gitDir: string,
  talk: GitServiceRequest,
  limits: ConversationLimits,
): GitServiceProcess {
  const child = start(git, gitDir, talk, limits)
  // Everyone waits for a push; a clone waits for the others.
  if (talk.program === 'upload-pack') yieldToOthers(child)
  const [stdin, stdout, stderr, channel] = child.stdio as unknown as readonly [
    Writable,
    Readable,
    Readable,
    Duplex,
  ]
  const ending = new AbortController()
  killOnAbort(child, ending.signal)
  const end = () => {
    ending.abort()
    channel.destroy()
  }
  talk.signal.addEventListener('abort', end)
  const ended = once(child, 'exit').finally(() => talk.signal.removeEventListener('abort', end))
  const closed = once(child, 'close') as Promise<[code: number | null]>
  // Told by `output`.
  for (const promise of [ended, closed]) promise.catch(() => undefined)
  if (talk.signal.aborted) end()
  let complaint = ''
  stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2000)
  })
  channel.on('error', ignoreBrokenPipe)
  passOn(talk.input, stdin, end)

  return {
    async output() {
      const chunks = stdout[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
      const first = await chunks.next()
      if (first.done) {
        const [code] = await closed.catch((error: Error) => {
          throw gitUnavailable(error)
        })
        if (cannotExecute.includes(code ?? 0)) throw gitUnavailable(new Error(complaint.trim()))
        if (code !== 0)
          throw new GitServiceFailed(talk.program, complaint.trim(), code === null && !ending.signal.aborted)
      }
      async function* said(): AsyncGenerator<Buffer> {
        if (!talk.input) yield announcement(talk)
        if (!first.done) yield first.value
        yield* chunks
        await ended
      }
      return Readable.from(said(), { objectMode: false })
    },
    ended,
    channel,
    end,
  }
}

/** What comes before all there is, over HTTP alone. The second version of the protocol has no place for it. */
function announcement({ program, protocol }: GitServiceRequest): Buffer {
  // Version 2 has no push.
  const second = program === 'upload-pack' && protocol?.split(':').includes('version=2')
  return Buffer.from(second ? '' : `${packetLine(`# service=git-${program}\n`)}0000`)
}

/** @see gitprotocol-common(5), "pkt-line Format" */
function packetLine(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text
}

function start(
  git: string,
  gitDir: string,
  { program, input, protocol }: GitServiceRequest,
  { settings, memory }: ConversationLimits,
): ChildProcess {
  const args = [
    ...[...mappingLittle, ...settings].flatMap(setting => ['-c', setting]),
    program,
    '--stateless-rpc',
  ]
  if (!input) args.push('--advertise-refs')
  const env = { ...gitEnvironment(), ...(protocol === undefined ? {} : { GIT_PROTOCOL: protocol }) }
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const
  const [command, ...rest] = withinMemory(memory, [git, ...args, gitDir])
  return spawn(command, rest, { cwd: gitDir, env, stdio: [...stdio], windowsHide: true, ...asGroupLeader })
}

/** Exit codes of a shell that could not run what it was to become. @see sh(1), "Exit Status" */
const cannotExecute: readonly number[] = [126, 127]

/** Passes on what the client says. Of a program that has heard enough and ended the rest is let pass. */
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
  // What was cut off, or cannot be unpacked, must not look like the end of what was said.
  if (input.errored) end()
  input.on('error', end)
  input.pipe(stdin)
}
