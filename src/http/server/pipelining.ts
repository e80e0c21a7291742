import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Serves the requests of a connection one after the other. If they were served at once, their responses would stay in
 * memory until the responses before them are sent.
 * @see RFC 9112 §9.3.2
 */
export interface Pipelining {
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

export function openPipelining(): Pipelining {
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
