import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type Koa from 'koa'
import { openLinkedQueue } from '../../core/data-structures/linked-queue.js'
import { isPlain } from '../../core/plain-mode.js'
import { shuttingDown } from '../../core/problem.js'
import { problemAnswer, problemBody, problemMediaType } from '../problems/problem-details.js'
import { securityHeaders } from '../security-headers.js'
import { noRequestScheduler, openRequestScheduler } from './request-scheduler.js'

export interface ListenOptions {
  /** Default: the loopback address. Without authentication every caller has full rights. */
  readonly host?: string
  /** 0 means any free port. */
  readonly port: number
  /** Milliseconds in which the headers of a request must arrive; default 20,000. */
  readonly headersTimeout?: number
  /** Milliseconds in which a request must arrive with its body; default 300,000. */
  readonly requestTimeout?: number
  /** Limit of the bytes of the request line and the headers together; default 16,384. */
  readonly maxHeaderSize?: number
  /** Returns the key of the client of a request: clients take turns. Default: the address of the connection. */
  readonly clientOf?: (request: IncomingMessage) => string
  /** Limit of the open connections. A further connection is closed at once. Default 10,000. */
  readonly maxConnections?: number
}

/** An app whose responses may wait for changes. */
export interface StoppableApp extends Koa {
  /** Ends the responses that wait, because the server stops. */
  readonly endWaitingResponses?: () => void
}

/** A server that accepts requests. */
export interface RunningServer {
  /** `http://host:port/` */
  readonly url: string
  readonly port: number
  /**
   * Stops accepting connections, finishes every accepted request, and refuses further requests on open connections
   * with 503. Resolves when the last connection is closed.
   * @param patience milliseconds after which open connections are cut; default 30,000
   */
  stop(patience?: number): Promise<void>
}

/** Milliseconds after which a connection is closed if its client reads nothing of the response. */
const maxSilence = 30_000
/** Milliseconds that an idle connection stays open: longer than the minute for which proxies reuse one. */
const keepAliveTimeout = 65_000
/**
 * Limit of the connections that wait to be accepted; the system may allow fewer. The system ignores further
 * connections, and their clients try again after one second, three, seven and so on.
 * @see listen(2), tcp(7): `somaxconn`, `tcp_abort_on_overflow`
 */
const backlog = 4096
/** Milliseconds between two checks for late requests. */
const connectionsCheckingInterval = 2_000

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? ''
}

/**
 * Starts a server that passes requests to `app` in turns of their clients.
 * @throws Error with the system's code (`EADDRINUSE`, `EACCES`…) if it cannot listen
 */
export async function listen(app: StoppableApp, options: ListenOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port, headersTimeout = 20_000, requestTimeout = 300_000 } = options
  const { maxHeaderSize = 16_384, maxConnections = 10_000, clientOf = addressOf } = options
  const handle = app.callback()
  const open = openLinkedQueue<ServerResponse>()
  const scheduler = isPlain ? noRequestScheduler : openRequestScheduler()
  const pipelining = openPipelining()
  let stopping: Promise<void> | undefined

  function serve(request: IncomingMessage, response: ServerResponse): void {
    pipelining.add(response, () => begin(request, response))
  }

  function begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    if (stopping) {
      response.once('close', () => pipelining.beginNext(socket))
      refuse(response, request.url ?? '')
      return
    }
    const end = open.join(response)
    // Only a client that does not read its response is cut off: preparing a response may take long.
    response.setTimeout(Math.min(requestTimeout, maxSilence), () => {
      if (socket.writableLength > 0) socket.destroy()
    })
    // Koa answers every error itself; its promise never rejects.
    const leave = scheduler.schedule(clientOf(request), () => void handle(request, response))
    response.once('close', () => {
      leave()
      end()
      pipelining.beginNext(socket)
      // The connection is idle only after this event.
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
  server.on('connection', scheduler.connectionAccepted)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    continueOnRead(request, response)
    serve(request, response)
  })
  // Node.js answers 417 without a body otherwise. A server may ignore an expectation that it does not know (RFC 9110, 10.1.1).
  server.on('checkExpectation', serve)
  server.on('clientError', openUnreadableAnswers(pipelining))
  const actualPort = await startListening(server, host, port)

  async function close(patience: number): Promise<void> {
    const closed = new Promise<void>(resolve => server.once('close', () => resolve()))
    server.close()
    app.endWaitingResponses?.()
    for (const response of open) if (!response.headersSent) response.setHeader('Connection', 'close')
    const cut = setTimeout(() => server.closeAllConnections(), patience)
    await closed
    clearTimeout(cut)
  }

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}/`,
    port: actualPort,
    stop(patience = 30_000) {
      stopping ??= close(patience)
      return stopping
    },
  }
}

/** Starts to listen. @returns the port */
async function startListening(server: Server, host: string, port: number): Promise<number> {
  server.listen({ port, host, backlog })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/**
 * Sends `100 Continue` when the handler begins to read the body. If the request is refused before, the client need not
 * send the body, and the connection ends with the response.
 * @see RFC 9110 §10.1.1
 */
function continueOnRead(request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false
  let isBegun = false
  function begin(): void {
    if (isBegun || response.headersSent) return
    isBegun = true
    response.shouldKeepAlive = true
    response.writeContinue()
  }
  request.once('resume', begin)
  // An iterator reads without `resume`. @see https://nodejs.org/docs/latest-v20.x/api/stream.html#two-reading-modes
  request.on('newListener', event => {
    if (event === 'readable') begin()
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

/**
 * Serves the requests of a connection one after the other. If they were served at once, their responses would stay in
 * memory until the responses before them are sent.
 * @see RFC 9112 §9.3.2
 */
interface Pipelining {
  /** Begins a request: at once, or when the requests before it on the connection are finished. */
  add(response: ServerResponse, begin: () => void): void
  /** Call it when the response to the current request is finished: begins the next request. */
  beginNext(socket: Socket): void
  /** The response to the newest request on the connection, whether or not it has begun. */
  newestOn(socket: Socket): ServerResponse | undefined
  /** Ends the connection after the responses to all its requests. */
  endAfterAll(socket: Socket, end: () => void): void
  /** Ends the connection in place of the newest request, which does not begin if it waits. */
  endBeforeNewest(socket: Socket, end: () => void): void
}

interface Connection {
  newest: ServerResponse
  /** Whether a request has begun and its response is not finished. */
  isBusy: boolean
  /** Begins the requests that wait. */
  readonly waiting: (() => void)[]
}

/** Number of waiting requests of a connection at which the server stops to read from the connection. */
const maxWaiting = 16

function openPipelining(): Pipelining {
  const connections = new WeakMap<Socket, Connection>()

  function pauseIfFull(socket: Socket): void {
    if ((connections.get(socket)?.waiting.length ?? 0) >= maxWaiting) socket.pause()
  }

  return {
    add(response, begin) {
      const { socket } = response.req
      const connection = connections.get(socket) ?? { newest: response, isBusy: false, waiting: [] }
      connections.set(socket, connection)
      connection.newest = response
      if (!connection.isBusy) {
        connection.isBusy = true
        begin()
        return
      }
      connection.waiting.push(begin)
      // Later, because Node.js resumes the socket when it has parsed this request.
      if (connection.waiting.length >= maxWaiting) setImmediate(pauseIfFull, socket)
    },
    beginNext(socket) {
      const connection = connections.get(socket)
      if (!connection) return
      // A connection that ends with the finished response gets no further one.
      const next = socket.writable ? connection.waiting.shift() : undefined
      if (!next) {
        connection.isBusy = false
        return
      }
      next()
      if (socket.isPaused() && connection.waiting.length === 0) socket.resume()
    },
    newestOn: socket => connections.get(socket)?.newest,
    endAfterAll(socket, end) {
      const connection = connections.get(socket)
      if (connection?.isBusy) connection.waiting.push(end)
      else end()
    },
    endBeforeNewest(socket, end) {
      const waiting = connections.get(socket)?.waiting ?? []
      if (waiting.pop()) waiting.push(end)
      else end()
    },
  }
}

/** The answer for each code of an error of Node.js. Other errors are 400. */
const unreadable: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The address and the headers of the request are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time.'],
}

type UnreadableError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/**
 * Answers requests that Node.js cannot parse, which therefore do not reach Koa, and ends their connections. The answer
 * never comes inside or before the response to an earlier request.
 * @returns a listener for `clientError`, which Node.js emits again for all further bytes of the connection
 * @see https://nodejs.org/api/http.html#event-clienterror
 */
function openUnreadableAnswers(pipelining: Pipelining): (error: UnreadableError, socket: Socket) => void {
  const ending = new WeakSet<Socket>()
  return (error, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    if (ending.has(socket)) return
    ending.add(socket)
    const newest = pipelining.newestOn(socket)
    if (!newest || newest.req.complete) {
      // The packet may begin with the request before the unreadable one.
      const isItsOwn = !newest || newest.writableFinished
      const isHead = isItsOwn && error.rawPacket?.toString('latin1', 0, 5) === 'HEAD '
      pipelining.endAfterAll(socket, () => socket.end(answerTo(error, isHead)))
      return
    }
    // The body of a request is unreadable. A request gets only one response.
    if (newest.writableFinished) socket.end()
    else if (newest.writableEnded) newest.once('finish', () => socket.end())
    else if (newest.headersSent) socket.destroy()
    else pipelining.endBeforeNewest(socket, () => socket.end(answerTo(error, newest.req.method === 'HEAD')))
  }
}

/** @param isHead whether it answers a HEAD request: such a response has no content. @see RFC 9110 §9.3.2 */
function answerTo(error: UnreadableError, isHead: boolean): string {
  const [status, detail] = unreadable[error.code ?? ''] ?? [400, 'This is not a readable HTTP request.']
  const body = problemBody(status, detail)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    isHead ? '' : body,
  ].join('\r\n')
}
