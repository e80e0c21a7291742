import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type Koa from 'koa'
import { openLinkedQueue } from '../../core/data-structures/linked-queue.js'
import { isPlain } from '../../core/plain-mode.js'
import { shuttingDown } from '../../core/problem.js'
import { problemAnswer, problemMediaType } from '../response/problem-details.js'
import { securityHeaders } from '../response/security-headers.js'
import { noRequestScheduler, openRequestScheduler } from './request-scheduler.js'

export interface ListenOptions {
  /** Default: the loopback address, as everybody has full rights. */
  readonly host?: string
  /** 0 picks a free one. */
  readonly port: number
  /** Milliseconds until the headers of a request must be there; default 20,000. */
  readonly headersTimeout?: number
  /** Milliseconds until a request must be there with its body; default 300,000. */
  readonly requestTimeout?: number
  /** Bytes the address and the headers of a request may have together; default 16,384. */
  readonly maxHeaderSize?: number
  /** The client of a request: clients take turns. Default: the address of the connection. */
  readonly clientOf?: (request: IncomingMessage) => string
  /** Connections that may be open at once; a further one is closed as it comes. Default 10,000. */
  readonly maxConnections?: number
}

/** A server that accepts requests. */
export interface RunningServer {
  /** `http://host:port/` */
  readonly url: string
  readonly port: number
  /**
   * Stops accepting, finishes every request that was accepted, refuses further ones on open connections with 503,
   * and resolves when the last connection is closed.
   * @param patience milliseconds after which connections are cut; default 30,000
   */
  stop(patience?: number): Promise<void>
}

/** Milliseconds after which a connection is closed whose client takes nothing of its answer. */
const longestSilence = 30_000
/** Milliseconds a connection is kept for the next request: longer than the minute proxies keep theirs. */
const keepAliveTimeout = 65_000
/**
 * Connections that may wait to be accepted; the system may allow fewer. One beyond them is not refused but ignored, and
 * its client tries again after one second, three, seven…
 * @see listen(2), tcp(7): `somaxconn`, `tcp_abort_on_overflow`
 */
const backlog = 4096
/** Milliseconds between two looks for requests that are late. */
const connectionsCheckingInterval = 2_000

/** Requests of one connection that wait for the answers before theirs, from which on no more are read. */
const mostBehind = 16

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? ''
}

/** @throws Error with the system's code (`EADDRINUSE`, `EACCES`…) where it cannot listen */
export async function listen(app: Koa, options: ListenOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port, headersTimeout = 20_000, requestTimeout = 300_000 } = options
  const { maxHeaderSize = 16_384, maxConnections = 10_000, clientOf = addressOf } = options
  const handle = app.callback()
  const open = openLinkedQueue<ServerResponse>()
  const turns = isPlain ? noRequestScheduler : openRequestScheduler()
  /** Of connections with a request that is being answered: those that were sent before they had the answer. */
  const behind = new WeakMap<Socket, (() => void)[]>()
  let stopping: Promise<void> | undefined

  /**
   * One request of a connection at a time: the answers of all others would be kept in memory until it is their turn.
   */
  function serve(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const waiting = behind.get(socket)
    if (waiting) {
      waiting.push(() => begin(request, response))
      // Not before Node.js is done with this request: at its end it goes on reading.
      if (waiting.length >= mostBehind) setImmediate(pauseIfBehind, socket)
      return
    }
    behind.set(socket, [])
    begin(request, response)
  }

  function pauseIfBehind(socket: Socket): void {
    if ((behind.get(socket)?.length ?? 0) >= mostBehind) socket.pause()
  }

  function serveNext(socket: Socket): void {
    // Nobody hears the answer any more where the connection ends with the one before.
    const next = socket.writable ? behind.get(socket)?.shift() : undefined
    if (!next) {
      behind.delete(socket)
      return
    }
    next()
    if (socket.isPaused() && behind.get(socket)?.length === 0) socket.resume()
  }

  function begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    if (stopping) {
      response.once('close', () => serveNext(socket))
      refuse(response, request.url ?? '')
      return
    }
    const end = open.join(response)
    // What takes long to be made is no fault of the client's; what it does not take is.
    response.setTimeout(Math.min(requestTimeout, longestSilence), () => {
      if (socket.writableLength > 0) socket.destroy()
    })
    // Koa answers every failure itself; its promise never rejects
    const leave = turns.schedule(clientOf(request), () => void handle(request, response))
    response.once('close', () => {
      leave()
      end()
      serveNext(socket)
      // the connection is idle only after this event
      if (stopping) setImmediate(() => server.closeIdleConnections())
    })
  }

  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      connectionsCheckingInterval,
      keepAliveTimeout,
      maxHeaderSize,
      requireHostHeader: false,
    },
    serve,
  )
  server.maxConnections = maxConnections
  server.on('connection', turns.connectionAccepted)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    askForBody(request, response)
    serve(request, response)
  })
  server.on('clientError', answerUnreadable)

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port: actual } = server.address() as AddressInfo

  async function close(patience: number): Promise<void> {
    const closed = new Promise<void>(resolve => server.once('close', () => resolve()))
    server.close()
    // For answers that wait for something: nothing more happens here.
    app.emit('stop')
    for (const response of open) if (!response.headersSent) response.setHeader('Connection', 'close')
    const cut = setTimeout(() => server.closeAllConnections(), patience)
    await closed
    clearTimeout(cut)
  }

  function stop(patience = 30_000): Promise<void> {
    stopping ??= close(patience)
    return stopping
  }

  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}/`, port: actual, stop }
}

/**
 * Has the body sent only when somebody begins to read it. Who is refused before need not send it, and may leave it out.
 * @see RFC 9110 §10.1.1
 */
function askForBody(request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false
  request.once('resume', () => {
    if (response.headersSent) return
    response.shouldKeepAlive = true
    response.writeContinue()
  })
}

function refuse(response: ServerResponse, path: string): void {
  const { status, headers, body } = problemAnswer(shuttingDown(), path.replace(/\?.*/, ''))
  response.writeHead(status, {
    ...securityHeaders,
    ...headers,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

const unreadable: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The address and the headers of the request are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time.'],
}

/**
 * Answers what is no whole HTTP request; Koa never sees it. A HEAD request gets no content.
 * @see https://nodejs.org/api/http.html#event-clienterror; RFC 9110 §9.3.2
 */
function answerUnreadable(
  error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer },
  socket: Socket,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const [status, detail] = unreadable[error.code ?? ''] ?? [400, 'This is not a readable HTTP request.']
  const title = STATUS_CODES[status]
  const body = JSON.stringify({ type: 'about:blank', title, status, detail })
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD '
  socket.end(
    [
      `HTTP/1.1 ${status} ${title}`,
      'Connection: close',
      ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
      `Content-Type: ${problemMediaType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      isHead ? '' : body,
    ].join('\r\n'),
  )
}
