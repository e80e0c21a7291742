import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { gitEnvironment, ignoreBrokenPipe } from './git-command.js'

/** Git's own program that answers a client that fetches. @see gitprotocol-http(5) */
export type PackProgram = 'upload-pack'

/** What a client says to a program of git's. */
export interface Talk {
  readonly program: PackProgram
  /** Undefined: the client asks what there is. */
  readonly input?: Readable
  /** What its `Git-Protocol` says, such as `version=2`. */
  readonly protocol?: string
  /** Aborted when nobody listens any more. */
  readonly signal: AbortSignal
}

/** A program of git's that is answering a client. */
export interface Conversation {
  /** What it says, driven by whoever reads; ends when the program has ended. */
  readonly output: Readable
  /** Resolves when the program has ended, however. */
  readonly ended: Promise<unknown>
}

/** A program that failed before it said anything: it could make nothing of what it was told. */
export class Speechless extends Error {
  override readonly name = 'Speechless'

  /** @param complaint what it wrote to standard error */
  constructor(
    program: PackProgram,
    readonly complaint: string,
  ) {
    super(`git ${program} failed: ${complaint || 'it was ended'}`)
  }
}

/**
 * Starts a program and waits for its first bytes, so that one that fails at once is an error and no empty answer.
 * Nothing is collected: input and output are passed on as they come.
 * @param settings `name=value` of git-config(1), over those of the repository
 * @throws Speechless
 * @throws the system's error where git cannot be started
 */
export async function converse(
  git: string,
  gitDir: string,
  talk: Talk,
  settings: readonly string[],
): Promise<Conversation> {
  const child = start(git, gitDir, talk, settings)
  const end = () => void child.kill()
  talk.signal.addEventListener('abort', end)
  // Rejects where git cannot be started.
  const ended = (once(child, 'close') as Promise<[code: number | null]>).finally(() =>
    talk.signal.removeEventListener('abort', end),
  )
  if (talk.signal.aborted) end()
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2000)
  })
  passOn(talk.input, child)

  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
  const first = await chunks.next()
  if (first.done) {
    const [code] = await ended
    if (code !== 0) throw new Speechless(talk.program, complaint.trim())
  }
  async function* said(): AsyncGenerator<Buffer> {
    if (!talk.input) yield announcement(talk)
    if (!first.done) yield first.value
    yield* chunks
    await ended
  }
  return { output: Readable.from(said(), { objectMode: false }), ended }
}

/** What comes before all there is, over HTTP alone. The second version of the protocol has no place for it. */
function announcement({ program, protocol }: Talk): Buffer {
  if (protocol?.split(':').includes('version=2')) return Buffer.alloc(0)
  return Buffer.from(`${packetLine(`# service=git-${program}\n`)}0000`)
}

/** @see gitprotocol-common(5), "pkt-line Format" */
function packetLine(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text
}

function start(
  git: string,
  gitDir: string,
  { program, input, protocol }: Talk,
  settings: readonly string[],
): ChildProcessWithoutNullStreams {
  const args = [...settings.flatMap(setting => ['-c', setting]), program, '--stateless-rpc']
  if (!input) args.push('--advertise-refs')
  const env = { ...gitEnvironment(), ...(protocol === undefined ? {} : { GIT_PROTOCOL: protocol }) }
  return spawn(git, [...args, gitDir], { cwd: gitDir, env, windowsHide: true })
}

/** Passes on what the client says. Of a program that has heard enough and ended the rest is let pass. */
function passOn(input: Readable | undefined, child: ChildProcessWithoutNullStreams): void {
  const { stdin } = child
  stdin.on('error', error => {
    ignoreBrokenPipe(error)
    input?.unpipe(stdin)
    input?.resume()
  })
  if (!input) {
    stdin.end()
    return
  }
  // What was cut off, or cannot be unpacked, must not look like the end of what was said.
  input.on('error', () => void child.kill())
  input.pipe(stdin)
}
