import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { problemBody, problemMediaType } from '../problems/problem-details.js'
import { securityHeaders } from '../security-headers.js'
import type { Pipelining } from './pipelining.js'

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
export function openUnreadableAnswers(
  pipelining: Pipelining,
): (error: UnreadableError, socket: Socket) => void {
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
