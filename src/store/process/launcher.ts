import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProblemError } from '../../core/problem.js'
import { type CollectedProgram, type ProgramResult, runHere } from './run-program.js'
import { type Program, type ProgramEnd, type StartedProgram, startHere } from './started-program.js'

/*
 * Starts programs from a small helper process. Starting a program copies the page tables of the parent process, and
 * this blocks the event loop of a large Node.js process for too long.
 *
 * The launcher returns the output of a program that is run to its end. If this process wants to use the streams of a
 * program, it connects three times to a socket of the launcher, and these connections become the program's standard
 * streams. So the bytes go through no other process.
 *
 * Fast path: otherwise a start blocks a process of 470 MB for 26 ms. Plain paths: `runHere`, `startHere`.
 * @see docs/decisions/009-programs-start-from-a-launcher.md
 */

/** What the launcher is to do for a program. */
type OrderBody =
  | { readonly run: CollectedProgram }
  | { readonly start: Program }
  | { readonly end: true }
  /** The streams of a started program are closed, or the program must not be started any more. */
  | { readonly closed: true }

/** Message to the launcher. */
export type Order = OrderBody & { readonly id: number }

/** Message from the launcher. */
export type Report =
  /** Path of the socket for streams. It comes once, and not at all where the system has no such sockets. */
  | { readonly socket: string }
  /** Why there is no socket. */
  | { readonly noSocket: string }
  | ({ readonly id: number } & (
      | { readonly result: ProgramResult }
      | { readonly isStarted: true }
      | { readonly exited: ProgramEnd }
      | { readonly error: { readonly message: string; readonly code: unknown } }
    ))

type Answer = Extract<Report, { id: number }>

interface Launcher {
  readonly child: ChildProcess
  /** Orders without a final answer, by their ids. */
  readonly orders: Map<number, PendingOrder>
  /** Path of the socket for streams; undefined if there is no socket, or not yet. */
  socket: string | undefined
}

const script = fileURLToPath(new URL('./launcher-process-entry.js', import.meta.url))

let isWanted = false
let isKept = false
let current: Launcher | undefined
let made = 0
let note: (line: string) => void = () => undefined

/**
 * Uses a launcher process for programs from now on. The first program starts it.
 * @param report called with messages for the operator of the server
 */
export function useLauncher(report: (line: string) => void = () => undefined): void {
  isWanted = true
  note = report
}

/** Uses one launcher process until the end of this process, in a process that runs one command after another. */
export function keepLauncher(): void {
  isWanted = true
  isKept = true
}

/** Ends the launcher; this process starts programs itself again. */
export function leaveLauncher(): void {
  if (isKept) return
  isWanted = false
  current?.child.disconnect()
  current = undefined
}

/**
 * Runs a program to its end.
 * @param signal ends the program
 * @throws the system's error if the program cannot be started
 * @throws ProblemError `unavailable` if the launcher ended
 */
export function runProgram(program: CollectedProgram, signal?: AbortSignal): Promise<ProgramResult> {
  return isWanted ? runThere(program, signal) : runHere(program, signal)
}

/**
 * Starts a program. Until the launcher is ready, this process itself starts programs.
 * @param signal ends the program
 * @throws the system's error if the program cannot be started
 * @throws ProblemError `unavailable` if the launcher ended
 */
export async function startProgram(program: Program, signal?: AbortSignal): Promise<StartedProgram> {
  if (isWanted) current ??= startLauncher()
  return current?.socket === undefined
    ? await startHere(program, signal)
    : await startThere(current, current.socket, program, signal)
}

/** An order to the launcher whose last answer has not come. */
class PendingOrder {
  readonly id = ++made
  readonly #answers: Answer[] = []
  #failure: Error | undefined
  #wake: (() => void) | undefined

  constructor(
    private readonly launcher: Launcher,
    body: OrderBody,
    private readonly signal: AbortSignal | undefined,
  ) {
    launcher.orders.set(this.id, this)
    hold(launcher.child, true)
    this.send(body)
    signal?.addEventListener('abort', this.end)
    if (signal?.aborted) this.end()
  }

  /** Ends the program. */
  readonly end = () => this.send({ end: true })

  send(body: OrderBody): void {
    const { child } = this.launcher
    // A failed send is ignored: then the launcher has ended, and `fail` is called.
    if (child.connected) child.send({ ...body, id: this.id }, () => undefined)
  }

  /**
   * The next message of the launcher about this program.
   * @throws the system's error if the program cannot be started; ProblemError `unavailable` if the launcher ended
   */
  async answer(): Promise<Answer> {
    while (this.#answers.length === 0) {
      if (this.#failure) throw this.#failure
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
    const answer = this.#answers.shift() as Answer
    if ('error' in answer) throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
    return answer
  }

  take(answer: Answer): void {
    this.#answers.push(answer)
    this.#wake?.()
  }

  fail(error: Error): void {
    this.#failure = error
    this.#wake?.()
  }

  /** Ends the wait for answers. */
  forget(): void {
    const { orders, child } = this.launcher
    this.signal?.removeEventListener('abort', this.end)
    orders.delete(this.id)
    if (orders.size === 0) hold(child, false)
  }
}

async function runThere(program: CollectedProgram, signal: AbortSignal | undefined): Promise<ProgramResult> {
  current ??= startLauncher()
  const order = new PendingOrder(current, { run: program }, signal)
  try {
    const answer = await order.answer()
    if (!('result' in answer)) throw new Error('A program that is run has no result.')
    return answer.result
  } finally {
    order.forget()
  }
}

async function startThere(
  launcher: Launcher,
  socket: string,
  program: Program,
  signal: AbortSignal | undefined,
): Promise<StartedProgram> {
  const order = new PendingOrder(launcher, { start: program }, signal)
  const streams = [0, 1, 2].map(descriptor => {
    const stream = connect(socket)
    // The first line says for which stream of which program the connection is.
    stream.write(`${order.id} ${descriptor}\n`)
    // An error without a listener would end this process. Readers of the stream get the error, and `exited` rejects.
    if (descriptor > 0) stream.on('error', () => undefined)
    return stream
  }) as [Socket, Socket, Socket]
  // Listen before the start: a short program may have closed its streams before this process learns of the start.
  const outputsClosed = Promise.all(
    streams.slice(1).map(stream => new Promise(resolve => stream.once('close', resolve))),
  )
  try {
    // The launcher answers when it has all streams. Until then, only the names of the streams are written to them, so
    // that the launcher cannot read any input of the program.
    await Promise.all([...streams.map(stream => once(stream, 'connect')), order.answer()])
  } catch (error) {
    order.send({ closed: true })
    order.forget()
    for (const stream of streams) stream.on('error', () => undefined).destroy()
    const { syscall, code, message } = error as NodeJS.ErrnoException
    if (syscall !== 'connect') throw error
    // The socket is gone: the folder of temporary files was emptied, or the launcher is about to end.
    if (code === 'ENOENT' && launcher.socket !== undefined) leaveSocket(launcher, message)
    return await startHere(program, signal)
  }
  return withStreams(order, streams, outputsClosed)
}

function withStreams(
  order: PendingOrder,
  [stdin, stdout, stderr]: readonly [Socket, Socket, Socket],
  outputsClosed: Promise<unknown>,
): StartedProgram {
  const exited = order
    .answer()
    .then(
      answer => {
        if (!('exited' in answer)) throw new Error('A program that was started has not ended.')
        return answer.exited
      },
      (error: Error) => {
        for (const stream of [stdout, stderr]) stream.destroy(error)
        throw error
      },
    )
    .finally(() => {
      order.forget()
      stdin.destroy()
    })
  const closed = outputsClosed.then(() => {
    order.send({ closed: true })
    return exited
  })
  // Prevents unhandled rejections; a caller that waits for them gets the error.
  for (const promise of [exited, closed]) promise.catch(() => undefined)
  return { stdin, stdout, stderr, exited, closed, kill: order.end }
}

/** Sets whether the launcher keeps this process alive. */
function hold({ channel }: ChildProcess, stays: boolean): void {
  if (stays) channel?.ref()
  else channel?.unref()
}

/** Leaves programs with streams to this process, until another launcher is started. */
function leaveSocket(launcher: Launcher, why: string): void {
  launcher.socket = undefined
  note(
    'The server starts each git that sends or receives data itself, and other requests wait for some milliseconds, ' +
      `because the launcher has no socket: ${why}. Set TMPDIR to a folder with a short path that the server may write to.`,
  )
}

function startLauncher(): Launcher {
  const child = fork(script, [], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.unref()
  const launcher: Launcher = { child, orders: new Map(), socket: undefined }
  hold(child, false)
  child.on('message', (report: Report) => {
    if ('socket' in report) launcher.socket = report.socket
    else if ('noSocket' in report) leaveSocket(launcher, report.noSocket)
    else launcher.orders.get(report.id)?.take(report)
  })
  const ended = (cause?: Error) => {
    if (current === launcher) current = undefined
    // If the launcher was killed, it has not removed the folder of its socket.
    if (launcher.socket !== undefined) rmSync(dirname(launcher.socket), { recursive: true, force: true })
    for (const order of launcher.orders.values()) order.fail(launcherEnded(cause))
  }
  child.on('error', ended)
  child.on('exit', () => ended())
  return launcher
}

function launcherEnded(cause: Error | undefined): ProblemError {
  const message = 'The process that starts other programs has ended. Try again in a moment.'
  return new ProblemError('unavailable', message, { retryAfter: 2 }, cause && { cause })
}
