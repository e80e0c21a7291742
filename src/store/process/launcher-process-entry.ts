import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { terminationSignals } from '../../core/child-processes.js'
import type { Order, Report } from './launcher.js'
import { killOnAbort } from './process-group.js'
import { runHere } from './run-program.js'
import { endOf, type Program, spawnProgram } from './started-program.js'

/*
 * Entry point of the launcher process. @see launcher.ts
 */

/** A program that is started when it and its three standard streams have arrived. */
interface Waiting {
  program?: Program
  /** The arrived streams by file descriptor. */
  readonly streams: Map<number, Socket>
}

const folderPrefix = 'git-metastore-launcher-'
/**
 * Limit of the path of the socket, in bytes. Node.js cuts a longer path off, so that the socket would be outside its
 * folder. Linux permits 108 bytes including the final zero, macOS 104.
 * @see unix(7)
 */
const maxSocketPath = 103
/** Age, in milliseconds, from which a folder may be a leftover. In a new folder, a launcher may not listen yet. */
const minStaleAge = 60 * 60 * 1000

const waiting = new Map<number, Waiting>()
const running = new Map<number, AbortController>()
/** Functions by the id of a started program, to call when the server has closed the streams of the program. */
const closing = new Map<number, () => void>()

process.on('message', (order: Order) => {
  const { id } = order
  if ('run' in order)
    void whileRunning(id, async over => sendReport({ id, result: await runHere(order.run, over) }))
  else if ('start' in order) {
    running.set(id, new AbortController())
    waitingFor(id).program = order.start
    startIfComplete(id)
  } else if ('closed' in order) {
    closing.get(id)?.()
    if (waiting.has(id)) running.delete(id)
    dropStreams(id)
  } else running.get(id)?.abort()
})

// A server ends its programs before it exits. If the server was killed, nothing reads the results: end the programs.
process.on('disconnect', () => {
  for (const each of running.values()) each.abort()
})
for (const signal of terminationSignals) process.on(signal, () => undefined)

const server = createServer(socket => {
  let line = ''
  socket.on('error', () => socket.destroy())
  socket.on('data', chunk => {
    line += chunk.toString('latin1')
    const [, name, descriptor] = /^(\d+) ([012])\n$/.exec(line) ?? []
    if (name === undefined) return
    const id = Number(name)
    socket.removeAllListeners('data')
    waitingFor(id).streams.set(Number(descriptor), socket)
    startIfComplete(id)
  })
})
// Only the connection to the server keeps this process alive, because the server may end before this process listens.
server.unref()
listen()

function listen(): void {
  // Windows needs no socket: there the start of a program copies no page tables, so the server itself can do it.
  if (process.platform === 'win32') return
  // Without a socket, the server itself starts the programs whose streams it wants.
  const failed = ({ message }: Error) => sendReport({ noSocket: message })
  server.on('error', failed)
  try {
    const folder = mkdtempSync(join(tmpdir(), folderPrefix))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const socket = join(folder, 'socket')
    if (Buffer.byteLength(socket) > maxSocketPath)
      throw new Error(`the path ${socket} has more than ${maxSocketPath} bytes`)
    server.listen(socket, () => sendReport({ socket }))
    // If something cannot be removed now, the next launcher will try.
    removeStaleFolders().catch(() => undefined)
  } catch (error) {
    failed(error as Error)
  }
}

/** Removes the folders of launchers that were killed together with their servers. Nothing listens in such a folder. */
async function removeStaleFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name)
    if (!name.startsWith(folderPrefix) || (await stat(folder)).mtimeMs > Date.now() - minStaleAge) continue
    const probe = connect(join(folder, 'socket'), () => probe.destroy())
    probe.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') rmSync(folder, { recursive: true, force: true })
    })
  }
}

function waitingFor(id: number): Waiting {
  const found = waiting.get(id) ?? { streams: new Map() }
  waiting.set(id, found)
  return found
}

function dropStreams(id: number): void {
  for (const stream of waiting.get(id)?.streams.values() ?? []) stream.destroy()
  waiting.delete(id)
}

function startIfComplete(id: number): void {
  const { program, streams } = waitingFor(id)
  if (program && streams.size === 3) void whileRunning(id, over => start(id, program, streams, over))
}

/** Starts a program on streams of the server, and reports its start and its end. */
async function start(
  id: number,
  program: Program,
  streams: ReadonlyMap<number, Socket>,
  over: AbortSignal,
): Promise<void> {
  const stdio = [0, 1, 2].map(descriptor => streams.get(descriptor) as Socket)
  const child = spawnProgram(program, stdio)
  // From now on, only the program has the streams.
  dropStreams(id)
  const exited = endOf(child, 'exit')
  const closed = new Promise<void>(resolve => closing.set(id, resolve))
  killOnAbort(child, over, closed)
  try {
    await once(child, 'spawn')
    sendReport({ id, isStarted: true })
    sendReport({ id, exited: await exited })
    await closed
  } finally {
    closing.delete(id)
  }
}

/** Runs `work` and reports its error, if any. @param work gets the signal that ends the program of the work */
async function whileRunning(id: number, work: (over: AbortSignal) => Promise<void>): Promise<void> {
  const over = running.get(id) ?? new AbortController()
  running.set(id, over)
  try {
    await work(over.signal)
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    sendReport({ id, error: { message, code } })
  } finally {
    running.delete(id)
  }
}

function sendReport(report: Report): void {
  // A server that has just ended needs no report.
  if (process.connected) process.send?.(report, undefined, undefined, () => undefined)
}
