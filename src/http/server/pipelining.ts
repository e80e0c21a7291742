import type { Socket } from 'node:net'

/**
 * Serves the requests of a connection one after the other. If they were served at once, their responses would stay in
 * memory until the responses before them are sent.
 * @see RFC 9112 §9.3.2
 */
export interface Pipelining {
  /** Begins a request: at once, or when the requests before it on the connection are finished. */
  add(socket: Socket, begin: () => void): void
  /** The response to the current request is finished: begins the next one. */
  finished(socket: Socket): void
}

/** Waiting requests of one connection from which on no more are read from it. */
const maxWaiting = 16

export function openPipelining(): Pipelining {
  /** The waiting requests of each connection with a current request. */
  const waitingOf = new WeakMap<Socket, (() => void)[]>()

  function pauseIfFull(socket: Socket): void {
    if ((waitingOf.get(socket)?.length ?? 0) >= maxWaiting) socket.pause()
  }

  return {
    add(socket, begin) {
      const waiting = waitingOf.get(socket)
      if (!waiting) {
        waitingOf.set(socket, [])
        begin()
        return
      }
      waiting.push(begin)
      // After Node.js has parsed this request: at its end it resumes the socket.
      if (waiting.length >= maxWaiting) setImmediate(pauseIfFull, socket)
    },
    finished(socket) {
      // A connection that ends with this response gets no further one.
      const next = socket.writable ? waitingOf.get(socket)?.shift() : undefined
      if (!next) {
        waitingOf.delete(socket)
        return
      }
      next()
      if (socket.isPaused() && waitingOf.get(socket)?.length === 0) socket.resume()
    },
  }
}
